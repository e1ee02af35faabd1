internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime

/// How a process that serves a whole contract starts with missing settings: a server creates files
/// beside an SQLite store where possible, and endpoints that cannot work refuse each request.
///
/// This does not apply to single functions: a deployment that lacks a setting should fail when it
/// is deployed.
struct ServerPlan {
    /// Defaults of settings that the environment does not set.
    let defaults: [String: String]
    /// The features whose settings are missing.
    private let missing: [Feature]
    private let isServer: Bool
    /// Where the server listens; nil if that is unknown.
    let port: UInt16?
    /// The addresses under which other machines reach the server.
    let networkAddresses: [String]
    private let store: StoreSettings
    /// Where the hash of the administrator's password is created, if none is set.
    let adminPasswordFile: String?

    init(
        _ purpose: StartPurpose, _ contract: Contract, _ store: StoreSettings,
        _ reader: SettingsReader
    ) {
        self.store = store
        if case .server(let port, let hosts) = purpose {
            isServer = true
            self.port = port
            networkAddresses = hosts.map { "http://\($0)\(port.map { ":\($0)" } ?? "")" }
        } else {
            (isServer, port, networkAddresses) = (false, nil, [])
        }
        guard purpose != .function else {
            (defaults, missing, adminPasswordFile) = ([:], [], nil)
            return
        }
        var defaults: [String: String] = [:]
        var missing: [Feature] = []
        var adminPasswordFile: String?
        if store.sharedName == nil, case .server(let port?, _) = purpose {
            defaults["ISSUER"] = "http://localhost:\(port)"
        }
        let hasAdminPassword =
            reader.text("ADMIN_PASSWORD_HASH") != nil
            || contract.policy.admin.allowsPlainPassword && reader.text("ADMIN_PASSWORD") != nil
        // With `DPOP=required` there are no pages, because a browser cannot prove a key.
        if store.sharedName == nil, purpose != .contract, contract.policy.pages != nil,
            reader.text("DPOP")?.isSame(as: ProofPolicy.Mode.required.rawValue) != true
        {
            defaults["UI"] = "on"
        }
        // A deployment that handles events has no folder of its own.
        if case .sqlite(let path) = store, purpose != .contract {
            if reader.text("MAIL_URL") == nil {
                defaults["MAIL_URL"] = "folder:" + Self.beside(path, "mail")
                // Mails are written to a folder, so their links do not have to open an app.
                if contract.policy.links == nil {
                    let issuer = reader.text("ISSUER") ?? defaults["ISSUER"] ?? ""
                    defaults["LINK_BASE"] =
                        LinkSettings.isUsable(issuer) ? issuer : IssuerSettings.local
                }
            }
            if !hasAdminPassword, isServer { adminPasswordFile = path + ".admin" }
        }
        if !hasAdminPassword, adminPasswordFile == nil { missing.append(.adminPassword) }
        if reader.text("STORAGE_BUCKET") == nil { missing.append(.storage) }
        let issuer = reader.text("ISSUER") ?? defaults["ISSUER"] ?? IssuerSettings.local
        if reader.text("PASSKEY_RP_ID") == nil, PasskeySettings.standardID(issuer: issuer) == nil {
            missing.append(.passkeys)
        }
        if reader.list("OIDC_PROVIDERS").isEmpty,
            ["APPLE", "GOOGLE"].allSatisfy({ ProviderSettings.clientIDs($0, reader).isEmpty })
        {
            missing.append(.identityProviders)
        }
        (self.defaults, self.missing, self.adminPasswordFile) =
            (defaults, missing, adminPasswordFile)
    }

    /// The endpoints. An endpoint that needs a missing feature refuses every request.
    func served(_ endpoints: [Endpoint]) -> [Endpoint] {
        endpoints.map { endpoint in
            let feature = missing.first { !endpoint.needs.isDisjoint(with: $0.needs) }
            return feature.map(endpoint.without) ?? endpoint
        }
    }

    func lacks(_ feature: Feature) -> Bool { missing.contains(feature) }

    /// nil if the process is not a server.
    func announcement(
        of contract: Contract, _ policy: Policy, _ endpoints: [Endpoint], issuer: String,
        _ reader: SettingsReader
    ) -> ServerAnnouncement? {
        isServer
            ? ServerAnnouncement(
                contract, policy, endpoints, store, self, issuer: issuer, reader) : nil
    }

    private static func beside(_ database: String, _ name: String) -> String {
        guard let slash = database.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
        return database[...slash] + name
    }
}

extension Feature {
    fileprivate var needs: ServiceNeeds {
        switch self {
        case .identityProviders: [.identityProviders]
        case .storage: [.storage]
        case .adminPassword: [.adminPassword]
        case .passkeys: [.passkeys, .relyingParty]
        case .guests: []
        }
    }
}
