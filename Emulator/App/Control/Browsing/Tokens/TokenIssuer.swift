internal import Bytes
internal import EmulatorBase
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import JOSE
internal import JSON
internal import Time

/// An issuer whose tokens can be explained: an emulated identity provider, or the app itself.
struct TokenIssuer: Sendable {
    /// `apple`, or `the app`
    let name: String
    let isApp: Bool
    /// The values of `iss` that the issuer accepts.
    let issuers: [String]
    /// nil if its key set cannot be read.
    let keys: KeySet?
    /// The issuer's keys as JWKs; only for an identity provider.
    var publicKeys: [JSONObject] = []
    /// The client IDs or audiences of this app, as far as they are known.
    let audiences: [String]
    /// The lifetime of its ID tokens.
    var lifetime: Span?

    static let appName = "the app"

    func has(issuer: String) -> Bool { issuers.contains { $0.isSame(as: issuer) } }
}

/// Finds issuers by name or `iss`; their keys are read when needed.
struct TokenIssuers: Sendable {
    private let services: EmulatorServices

    init(_ services: EmulatorServices) { self.services = services }

    private var definitions: [FunctionConfiguration] { services.stack?.definitions ?? [] }

    /// The `iss` of the app's own tokens: the functions' setting, or the emulator's address.
    private var appIssuers: [String] {
        ([services.addresses.issuerURL] + definitions.compactMap { $0.variable("ISSUER") }).distinct
    }

    /// The names for messages.
    var names: [String] { services.identity.issuers.map(\.issuer) + appIssuers }

    /// Finds an issuer by its name or its `iss`.
    func issuer(_ text: String) -> TokenIssuer? {
        let provider = services.identity.issuers.first { name, issuer in
            name.isSame(as: text) || Self.spellings(issuer).contains { $0.isSame(as: text) }
        }
        if let provider { return self.provider(provider.name) }
        return appIssuers.first { $0.isSame(as: text) }.map(app)
    }

    /// The issuer with this key ID in its key set.
    func issuer(withKey kid: String) -> TokenIssuer? {
        for (name, _) in services.identity.issuers {
            if let issuer = provider(name), issuer.keys?.key(kid) != nil { return issuer }
        }
        for text in appIssuers {
            let issuer = app(text)
            if issuer.keys?.key(kid) != nil { return issuer }
        }
        return nil
    }

    private func provider(_ name: String) -> TokenIssuer? {
        guard let found = services.identity.inspection(of: name) else { return nil }
        let configured = ProviderVariables.clientIDs(of: name, in: definitions)
        let jwks: JSON = ["keys": .array(found.publicKeys.map(JSON.object))]
        return TokenIssuer(
            name: name, isApp: false, issuers: Self.spellings(found.issuer),
            keys: try? KeySet(jwks: jwks), publicKeys: found.publicKeys,
            audiences: configured.isEmpty ? found.clientIDs.distinct : configured,
            lifetime: found.lifetime)
    }

    /// Google's `iss` occurs with and without the scheme.
    private static func spellings(_ issuer: String) -> [String] {
        issuer == "https://accounts.google.com" ? [issuer, "accounts.google.com"] : [issuer]
    }

    private func app(_ issuer: String) -> TokenIssuer {
        let users = definitions.filter { $0.variable("ISSUER")?.isSame(as: issuer) == true }
        let given = users.compactMap { $0.variable("TOKEN_AUDIENCE") }
        // The contract's name, unless it is set (docs/configuration.md).
        let usual = users.map { function -> String in
            let contract = function.variable("CONTRACT") ?? "latchkey"
            return contract == "livlogios" ? "livlogios-ios" : contract
        }
        return TokenIssuer(
            name: TokenIssuer.appName, isApp: true, issuers: [issuer],
            keys: AppKeys(services).keys(of: issuer),
            audiences: (given.isEmpty ? usual : given).distinct)
    }
}

/// The key set that the template's own routes publish.
struct AppKeys: Sendable {
    private let services: EmulatorServices

    init(_ services: EmulatorServices) { self.services = services }

    /// The keys are always read from this machine, whatever the issuer's host is: a token must not
    /// cause requests to other hosts.
    func keys(of issuer: String) -> KeySet? {
        guard services.stack != nil,
            let discovery = document("\(Self.path(of: issuer))/.well-known/openid-configuration"),
            let url = discovery["jwks_uri"]?.stringValue,
            let keys = document(Self.path(of: url))
        else { return nil }
        return try? KeySet(jwks: keys)
    }

    private func document(_ path: String) -> JSON? {
        let bytes = EmulatorServices.document(
            services.addresses.appURL + path, services.transport)
        return bytes.flatMap { try? JSON.parse($0, limits: .keySet) }
    }

    /// `/a` of `https://auth.example.com/a`.
    private static func path(of url: String) -> String {
        let parts = url.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, !parts[3].isEmpty else { return "" }
        let path = "/" + String(Substring(parts[3]))
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension [String] {
    /// The elements without duplicates, in the order of their first occurrence.
    var distinct: [String] {
        var found: [String] = []
        for text in self where !found.containsText(text) { found.append(text) }
        return found
    }
}

/// The functions' variables for an identity provider.
enum ProviderVariables {
    /// `APPLE`, or `OIDC_MY_COMPANY`.
    static func prefix(of provider: String) -> String {
        let name = String(provider.uppercased().map { $0 == "-" ? "_" : $0 })
        return ["APPLE", "GOOGLE"].contains(name) ? name : "OIDC_\(name)"
    }

    /// The client IDs whose tokens the functions accept.
    static func clientIDs(
        of provider: String, in functions: [FunctionConfiguration]
    ) -> [String] {
        functions.compactMap { $0.variable("\(prefix(of: provider))_CLIENT_IDS") }
            .flatMap { $0.split(separator: ",").map { $0.filter { $0 != " " } } }.distinct
    }
}
