import AuthDomain
import AuthOperations
import Bytes
import Cryptography
import JOSE
import JSON
import Time

/// A program of another party that asks for access, or a resource server.
struct Program: Sendable {
    /// How it proves who it is.
    enum Proof: String {
        case none, basic = "client_secret_basic", post = "client_secret_post"
        case key = "private_key_jwt"
    }

    let id: String
    var secret: String?
    var proof = Proof.none
    /// As it is registered.
    var redirectURI = ""
    /// Whether it may have refresh tokens.
    var refreshes = true
    /// Whether nobody is asked about it.
    var isFirstParty = false
    var isSelfRegistered = false
    /// The resource that it is; nil for one that asks for access.
    var resource: String?
    /// Makes a statement that it has signed, for `Proof.key`.
    var makeAssertion: @Sendable () -> String = { "" }

    private static let loopback = "http://127.0.0.1/"

    /// Whether a person who has decided before need not be asked again.
    var isRecognised: Bool {
        proof != .none || (redirectURI.hasPrefix("https://") && !isSelfRegistered)
    }

    /// With a port, on the user's own machine.
    func address(port: Int) -> String {
        redirectURI.hasPrefix(Self.loopback)
            ? "http://127.0.0.1:\(port)/" + redirectURI.dropFirst(Self.loopback.count)
            : redirectURI
    }

    /// Whether an answer at the address, without its query, is the program's.
    func owns(_ address: String) -> Bool {
        if address == redirectURI { return true }
        guard redirectURI.hasPrefix(Self.loopback), address.hasPrefix("http://127.0.0.1:") else {
            return false
        }
        let rest = address.dropFirst("http://127.0.0.1:".count)
        let port = rest.prefix { $0 != "/" }
        return UInt16(port) != nil
            && rest.dropFirst(port.count + 1) == redirectURI.dropFirst(Self.loopback.count)
    }

    /// With the members of RFC 7591.
    var description: JSONObject {
        var members: JSONObject = [
            "client_name": .string("Program \(id)"),
            "token_endpoint_auth_method": .string(proof.rawValue),
        ]
        members["resource"] = resource.map { .string($0) }
        guard resource == nil else {
            members["grant_types"] = []
            return members
        }
        if proof == .key { members["jwks"] = ["keys": [.object(ProgramKey.publicJWK)]] }
        members["redirect_uris"] = [.string(redirectURI)]
        members["grant_types"] =
            refreshes ? ["authorization_code", "refresh_token"] : ["authorization_code"]
        if isFirstParty { members["first_party"] = true }
        return members
    }

    /// A request of the program.
    ///
    /// - Parameters:
    ///   - secret: in place of its own.
    ///   - way: the way in which it proves itself, in place of its own.
    func request(
        _ path: String, _ pairs: [(String, String)], secret other: String? = nil,
        by way: Proof? = nil
    ) -> WireRequest {
        var pairs = pairs
        var headers: [(name: String, value: String)] = []
        let secret = other ?? secret ?? ""
        switch way ?? proof {
        case .none: pairs.append(("client_id", id))
        case .post: pairs += [("client_id", id), ("client_secret", secret)]
        case .basic:
            let text = Base64.encode(Array("\(id):\(secret)".utf8))
            headers.append((name: "Authorization", value: "Basic \(text)"))
        case .key:
            pairs += [
                ("client_id", id), ("client_assertion_type", ProgramKey.assertionType),
                ("client_assertion", other ?? makeAssertion()),
            ]
        }
        return .form(path, pairs, headers)
    }
}

/// The key with which a program signs statements about itself (RFC 7523).
enum ProgramKey {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let key = try? SigningKey.generate(.edDSA, random: .seeded(77))

    static var publicJWK: JSONObject { key?.publicJWK ?? [:] }

    static func assertion(of program: String, number: Int, at now: Instant) -> String {
        let claims: JSONObject = [
            "iss": .string(program), "sub": .string(program),
            "aud": .string(ProviderSettings.issuer), "jti": .string("statement-\(number)"),
            "iat": .number(JSONNumber(now.seconds)), "exp": .number(JSONNumber(now.seconds + 60)),
        ]
        return key.flatMap { try? JWT.sign(claims, with: $0, type: "JWT", includesKeyID: true) }
            ?? ""
    }

    static func hasSigned(_ assertion: String?) -> Bool {
        let header = assertion?.split(separator: ".").first.flatMap { Base64URL.decode($0) }
        return header.flatMap { try? JSON.parse($0, limits: .event) }?["kid"]?.stringValue
            == key?.kid
    }
}

extension WireRequest {
    static func form(
        _ path: String, _ pairs: [(String, String)],
        _ headers: [(name: String, value: String)] = []
    ) -> WireRequest {
        WireRequest(
            method: "POST", path: path, query: "",
            headers: headers + [
                (name: "Content-Type", value: "application/x-www-form-urlencoded")
            ], body: Array(PercentEncoding.form(pairs).utf8))
    }

    static func get(
        _ path: String, _ pairs: [(String, String)] = [], bearer: String? = nil
    ) -> WireRequest {
        WireRequest(
            method: "GET", path: path, query: PercentEncoding.form(pairs),
            headers: bearer.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? [],
            body: [])
    }
}

/// The programs and the resource servers of a run, as `OAUTH_CLIENTS` and `OAUTH_RESOURCES`
/// describe them.
enum ProviderSettings {
    static let issuer = "https://auth.example.com"
    static let photos = "https://photos.example.com/"
    static let notes = "https://notes.example.com/"

    private static func secret(_ name: String) -> String { "\(name) has this secret, for tests" }

    static let programs: [Program] = [
        Program(
            id: "printer", secret: secret("printer"), proof: .basic,
            redirectURI: "https://printer.example.com/back"),
        Program(id: "terminal", redirectURI: "http://127.0.0.1/back"),
        Program(
            id: "gallery", secret: secret("gallery"), proof: .post,
            redirectURI: "https://gallery.example.com/back?from=us", refreshes: false),
        Program(id: "companion", redirectURI: "https://companion.example.com/back"),
        Program(
            id: "house", secret: secret("house"), proof: .basic,
            redirectURI: "https://house.example.com/back", isFirstParty: true),
        Program(
            id: "agent", proof: .key, redirectURI: "https://agent.example.com/signed/back"),
    ]

    static let servers: [Program] = [
        Program(id: "photos", secret: secret("photos"), proof: .basic, resource: photos),
        Program(id: "notes", secret: secret("notes"), proof: .basic, resource: notes),
    ]

    private static var resources: [ProtectedResource] {
        func words(_ names: [String]) -> [ProtectedResource.ScopeWord] {
            names.map { ProtectedResource.ScopeWord(word: $0, meaning: ["en": $0]) }
        }
        return [
            ProtectedResource(
                uri: photos, name: ["en": "Photos"],
                scopes: words(["photos:read", "photos:write"])),
            ProtectedResource(uri: notes, name: ["en": "Notes"], scopes: words(["notes:read"])),
        ]
    }

    static func services(
        _ policy: Policy, _ flaws: ProviderFlaws
    ) -> (SigningKeys) throws -> OAuthServices {
        let algorithm = Algorithm(policy.accessTokens.algorithm)
        return { keys in
            let clients = try (programs + servers).map { program in
                var description = program.description
                description["client_id"] = .string(program.id)
                description["client_secret"] = program.secret.map { .string($0) }
                return flaws.configured(
                    try ClientMetadata(description).configured(signingIDTokensWith: [algorithm]))
            }
            return OAuthServices(
                issuer: issuer, clients: clients, resources: resources, defaultResource: nil,
                registration: .open, documents: nil, idTokenKeys: [algorithm: keys],
                accessTokenAlgorithm: algorithm)
        }
    }
}
