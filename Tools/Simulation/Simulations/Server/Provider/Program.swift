import AuthDomain
import AuthOperations
import Bytes
import Cryptography
import JOSE
import JSON
import Time

/// A program of another party that asks for access, or a resource server.
struct Program: Sendable {
    /// How the program authenticates.
    enum Proof: String {
        case none, basic = "client_secret_basic", post = "client_secret_post"
        case key = "private_key_jwt"
    }

    var id: String
    var secret: String?
    /// Secrets that an administrator has replaced, the latest last.
    var formerSecrets: [String] = []
    var proof = Proof.none
    /// The registered redirect URI.
    var redirectURI = ""
    /// Whether the program may get refresh tokens.
    var refreshes = true
    /// Whether the program does not need the user's consent.
    var isFirstParty = false
    var isSelfRegistered = false
    /// Whether the program's ID is the URL of a document that describes it (`ClientSites`).
    var isDescribed = false
    var name: String?
    /// The number of the key with which the program authenticates, for `Proof.key`.
    var keyNumber = 0
    /// Whether the program gets only tokens that are bound to its key.
    var requiresProof = false
    /// Whether the program also runs on devices that show a code.
    var usesDevices = false
    /// The address to which a browser may be redirected after a sign-out. The program receives
    /// notices of sign-outs there, too.
    var farewell: String?
    var noticeAddress: String?
    /// The URI of a resource server; nil for a program that asks for access.
    var resource: String?
    /// The resources for which the program exchanges tokens, or gets tokens for itself.
    var targets: [String] = []
    /// The scopes of the tokens that the program gets for itself; empty for a program that acts for
    /// people.
    var scope: Set<String> = []
    /// Makes a client assertion, for `Proof.key`.
    var makeAssertion: @Sendable (Program) -> String = { _ in "" }
    /// The key to which the program's tokens are bound.
    var key: ProofKey?
    /// Makes a DPoP proof by that key for the token endpoint.
    var makeProof: @Sendable (ProofKey) -> String = { _ in "" }

    static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let device = "urn:ietf:params:oauth:grant-type:device_code"
    /// The grant type for tokens without a user.
    static let ownGrant = "client_credentials"
    private static let loopback = "http://127.0.0.1/"

    var secrets: [String] { formerSecrets + [secret].compactMap(\.self) }

    var actsForItself: Bool { !scope.isEmpty }

    /// Whether the program is a client in the store.
    var isStored: Bool { id.hasPrefix("lkc_") }

    /// Whether a person who has already decided about the program is not asked again.
    var isRecognised: Bool {
        proof != .none || (redirectURI.hasPrefix("https://") && !isSelfRegistered)
    }

    /// Whether the program's registration expires if it is not used.
    var expires: Bool { isSelfRegistered && !isDescribed }

    /// An address on the user's own machine, with a port.
    func address(port: Int) -> String {
        redirectURI.hasPrefix(Self.loopback)
            ? "http://127.0.0.1:\(port)/" + redirectURI.dropFirst(Self.loopback.count)
            : redirectURI
    }

    /// Whether an address, without its query, belongs to the program.
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

    /// The registration request of RFC 7591.
    var description: JSONObject {
        var members: JSONObject = [
            "client_name": .string(name ?? "Program \(id)"),
            "token_endpoint_auth_method": .string(proof.rawValue),
        ]
        members["resource"] = resource.map { .string($0) }
        guard resource == nil, !actsForItself else {
            let type = actsForItself ? Self.ownGrant : Self.exchange
            members["grant_types"] = targets.isEmpty ? [] : [.string(type)]
            members["scope"] =
                actsForItself ? .string(scope.sorted().joined(separator: " ")) : nil
            members["allowed_resources"] =
                targets.isEmpty ? nil : .array(targets.map { .string($0) })
            return members
        }
        if proof == .key {
            members["jwks"] = ["keys": [.object(ProgramKey.publicJWK(keyNumber))]]
        }
        var types: [String] = usesDevices ? [Self.device] : []
        if !redirectURI.isEmpty {
            members["redirect_uris"] = [.string(redirectURI)]
            types.append("authorization_code")
        }
        if refreshes { types.append("refresh_token") }
        members["grant_types"] = .array(types.map { .string($0) })
        members["post_logout_redirect_uris"] = farewell.map { [.string($0)] }
        members["backchannel_logout_uri"] = noticeAddress.map { .string($0) }
        if isFirstParty { members["first_party"] = true }
        if requiresProof { members["dpop_bound_access_tokens"] = true }
        return members
    }

    /// A request of the program.
    ///
    /// - Parameters:
    ///   - secret: used instead of the program's own.
    ///   - way: the authentication method that is used instead of the program's own.
    ///   - shown: a DPoP proof that is used instead of a new one.
    func request(
        _ path: String, _ pairs: [(String, String)], secret other: String? = nil,
        by way: Proof? = nil, proof shown: KeyProof = .own
    ) -> WireRequest {
        var pairs = pairs
        var headers: [(name: String, value: String)] = []
        if path == "/oauth/token", let text = shown.text(of: self) {
            headers.append((name: "DPoP", value: text))
        }
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
                ("client_assertion", other ?? makeAssertion(self)),
            ]
        }
        return .form(path, pairs, headers)
    }
}

/// The DPoP proof in a program's token request.
enum KeyProof: Sendable {
    case none, own
    case given(String)

    fileprivate func text(of program: Program) -> String? {
        switch self {
        case .none: nil
        case .own: program.key.map(program.makeProof)
        case .given(let text): text
        }
    }
}

/// The keys with which programs sign client assertions (RFC 7523).
enum ProgramKey {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The number of keys in documents. The key before them is `agent`'s.
    static let documentKeys = 4
    private static let keys = (0...UInt64(documentKeys)).compactMap {
        try? SigningKey.generate(.edDSA, random: .seeded(77 + $0))
    }

    static func publicJWK(_ number: Int) -> JSONObject { keys[number].publicJWK ?? [:] }

    static func assertion(of program: Program, number: Int, at now: Instant) -> String {
        let claims: JSONObject = [
            "iss": .string(program.id), "sub": .string(program.id),
            "aud": .string(ProviderSettings.issuer), "jti": .string("statement-\(number)"),
            "iat": .number(JSONNumber(now.seconds)), "exp": .number(JSONNumber(now.seconds + 60)),
        ]
        let key = keys[program.keyNumber]
        return (try? JWT.sign(claims, with: key, type: "JWT", includesKeyID: true)) ?? ""
    }

    /// The number of the key that has signed the assertion.
    static func number(of assertion: String?) -> Int? {
        let header = assertion?.split(separator: ".").first.flatMap { Base64URL.decode($0) }
        let kid = header.flatMap { try? JSON.parse($0, limits: .event) }?["kid"]?.stringValue
        return keys.firstIndex { $0.kid == kid }
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
        _ path: String, _ pairs: [(String, String)] = [], bearer: String? = nil,
        proof: String? = nil
    ) -> WireRequest {
        var headers: [(name: String, value: String)] = []
        if let bearer {
            let scheme = proof == nil ? "Bearer" : "DPoP"
            headers.append((name: "Authorization", value: "\(scheme) \(bearer)"))
        }
        if let proof { headers.append((name: "DPoP", value: proof)) }
        return WireRequest(
            method: "GET", path: path, query: PercentEncoding.form(pairs), headers: headers,
            body: [])
    }
}

/// The programs and the resource servers of a run, as `OAUTH_CLIENTS` and `OAUTH_RESOURCES`
/// describe them.
enum ProviderSettings {
    static let issuer = "https://auth.example.com"
    static let photos = "https://photos.example.com/"
    static let notes = "https://notes.example.com/"
    /// The path of requests to resource servers, below their URIs.
    static let pathOfResources = "all"

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
        backup,
    ]

    /// A program that acts for itself.
    static let backup = Program(
        id: "backup", secret: secret("backup"), proof: .basic, refreshes: false,
        targets: [photos], scope: ["photos:read"])

    static let servers: [Program] = [
        Program(
            id: "photos", secret: secret("photos"), proof: .basic, resource: photos,
            targets: [notes]),
        Program(id: "notes", secret: secret("notes"), proof: .basic, resource: notes),
    ]

    /// A program that gets only tokens bound to its key; in runs with `Feature.boundTokens`.
    static let vault = Program(
        id: "vault", redirectURI: "https://vault.example.com/back", requiresProof: true)

    /// A program without a browser; in runs with `Feature.devices`.
    static let television = Program(id: "television", usesDevices: true)

    /// The programs, with the keys that the run has drawn. Programs that describe themselves by a
    /// document are not included.
    static func programs(_ drawn: ProviderDraws) -> [Program] {
        var all = drawn.provers.contains(vault.id) ? programs + [vault] : programs
        if drawn.hasDevices { all.append(television) }
        return all.map { program in
            var program = program
            if drawn.provers.contains(program.id) { program.key = .named(program.id) }
            if drawn.hasDevices, program.id == "printer" { program.usesDevices = true }
            if drawn.told.contains(program.id) {
                program.farewell = "https://\(program.id).example.com/bye"
                program.noticeAddress = "https://\(program.id).example.com/ended"
            }
            return program
        }
    }

    private static func resources(_ drawn: ProviderDraws) -> [ProtectedResource] {
        func words(_ names: [String]) -> [ProtectedResource.ScopeWord] {
            names.map { ProtectedResource.ScopeWord(word: $0, meaning: ["en": $0]) }
        }
        var others = ProtectedResource(
            uri: notes, name: ["en": "Notes"], scopes: words(["notes:read"]))
        others.requiresProof = drawn.notesNeedKey
        return [
            ProtectedResource(
                uri: photos, name: ["en": "Photos"],
                scopes: words(["photos:read", "photos:write"])),
            others,
        ]
    }

    static func services(
        _ policy: Policy, _ drawn: ProviderDraws, _ sites: ClientSites?, _ flaws: ProviderFlaws,
        _ receiver: LogoutReceiver?
    ) -> (SigningKeys) throws -> OAuthServices {
        let algorithm = Algorithm(policy.accessTokens.algorithm)
        return { keys in
            let clients = try (programs(drawn) + servers).map { program in
                var description = program.description
                description["client_id"] = .string(program.id)
                description["client_secret"] = program.secret.map { .string($0) }
                return flaws.configured(
                    try ClientMetadata(description).configured(signingIDTokensWith: [algorithm]))
            }
            let documents = sites.map { sites in
                ClientDocuments(hosts: flaws.flaw == .takesAnyHost ? nil : sites.hosts) {
                    sites.document(at: $0)
                }
            }
            return OAuthServices(
                issuer: issuer, clients: clients, resources: resources(drawn),
                defaultResource: nil, registration: .open, documents: documents,
                idTokenKeys: [algorithm: keys], accessTokenAlgorithm: algorithm,
                logout: receiver?.services)
        }
    }
}
