internal import AuthDomain
internal import Bytes
internal import Cryptography
package import JOSE
package import JSON

/// A client as a document describes it (RFC 7591 section 2), with the additional members
/// `first_party`, `allowed_resources` and `resource`.
package struct ClientMetadata: Sendable {
    private let object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    /// What is wrong with a member.
    package struct Problem: Error, Equatable, Sendable {
        package let member: String
        package let rule: String
        /// The scope that no resource defines, and the scopes that are defined.
        package var unknownScope: UnknownScope?

        package struct UnknownScope: Equatable, Sendable {
            package let scope: String
            package let known: [String]
        }

        package static let tooLarge = Problem(
            member: "The description", rule: "must have at most 16 KiB")
        static let noID = Problem(
            member: "client_id",
            rule:
                "must have at most \(ClientMetadata.idBytesMax) visible characters without quotes, "
                + "slashes and angle brackets, and not be a UUID, which users have")
        /// Rules that a page of administrators can show. It has a text for each of them.
        package enum Rule {
            package static let name =
                "must have at most \(ClientMetadata.nameBytesMax) bytes of visible characters"
            package static let redirectURI =
                "must be https, http for the user's own machine, or a scheme of an app "
                + "such as com.example.app:/callback, without a fragment or wildcard"
            /// The algorithms of ID tokens follow.
            package static let algorithm = "must be "
            package static let profile = "fapi2 needs another JWT_ALGORITHM than RS256"
            package static let proofs = "needs DPOP=optional or required"
            package static let resource = "must be in OAUTH_RESOURCES"
            package static let stored = "is not readable"
        }

        static let noRedirectURI = Problem(
            member: "redirect_uris", rule: "must name at least one address")
    }

    /// The maximum size of a registration.
    package static let bytesMax = 16 << 10
    package static let redirectURIsMax = 32
    private static let idBytesMax = 255
    fileprivate static let nameBytesMax = 100
    private static let secretBytes = 16...512
    private static let words = 64

    /// All known members, including some that are only informative.
    private static let known = [
        "client_id", "client_secret", "client_name", "client_uri", "redirect_uris",
        "token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "grant_types",
        "response_types", "scope", "jwks", "jwks_uri", "application_type",
        algorithmName, bindsTokens, pushesRequests,
        "first_party", "allowed_resources", "resource", profileName,
        "post_logout_redirect_uris", "backchannel_logout_uri",
        "backchannel_logout_session_required",
    ]

    /// A client in the settings. A misspelt member is an error.
    ///
    /// - Parameter algorithms: the algorithms with which ID tokens can be signed, the default
    ///   first.
    package func configured(
        signingIDTokensWith algorithms: [Algorithm]
    ) throws(Problem) -> Client {
        let id = try required("client_id")
        guard Self.isID(id) else { throw .noID }
        return try trusted(as: id, secret: try secret(), signingIDTokensWith: algorithms)
    }

    /// A client that the operator or an administrator describes.
    ///
    /// - Parameter secret: the digest of its secret.
    package func trusted(
        as id: String, secret: [UInt8]?, signingIDTokensWith algorithms: [Algorithm]
    ) throws(Problem) -> Client {
        for (name, _) in object.members where !Self.known.contains(where: name.isSame(as:)) {
            throw Problem(
                member: name, rule: "is not a member\(NearestName.hint(name, among: Self.known))")
        }
        let grantTypes = try grantTypes()
        let redirectURIs = try redirectURIs()
        if grantTypes.contains(.authorizationCode), redirectURIs.isEmpty { throw .noRedirectURI }
        let authentication = try authentication(hasSecret: secret != nil)
        try check(grantTypes, of: authentication)
        let keysURL = try keysURL(for: authentication)
        var client = Client(
            id: id, name: try name() ?? id, authentication: authentication,
            secret: secret, keys: keysURL == nil ? try keys(for: authentication) : nil,
            keysURL: keysURL, redirectURIs: redirectURIs, grantTypes: grantTypes,
            scope: try words(), resources: try list("allowed_resources"),
            isFirstParty: try flag("first_party") ?? false, introspects: try text("resource"),
            idTokenAlgorithm: try idTokenAlgorithm(algorithms))
        try setPromises(of: &client)
        try readLogout(into: &client)
        return client
    }

    /// Whether the described client needs a secret, which is then generated.
    package func needsSecret() throws(Problem) -> Bool {
        let method: Client.Authentication = try choice("token_endpoint_auth_method") ?? .basic
        return method == .basic || method == .post
    }

    // MARK: Descriptions by clients themselves

    /// An accepted description, and how the client authenticates.
    package struct Registration: Sendable {
        /// The members, with defaults and without unknown ones.
        package let members: JSONObject
        package let needsSecret: Bool
    }

    /// Members that only the operator may set.
    private static let privileged = ["first_party", "allowed_resources", "resource"]

    /// The parts of a client's own description that an unknown person may decide (RFC 7591 section
    /// 2). Unknown members are ignored.
    package func registration(
        as id: String, signingIDTokensWith algorithms: [Algorithm]
    ) throws(Problem) -> Registration {
        for name in Self.privileged where object[name] != nil {
            throw Problem(member: name, rule: "can be set only by the operator")
        }
        if object["jwks"] != nil, object["jwks_uri"] != nil {
            throw Problem(member: "jwks_uri", rule: "excludes jwks")
        }
        let method: Client.Authentication = try choice("token_endpoint_auth_method") ?? .basic
        let needsSecret = try needsSecret()
        var members = JSONObject()
        members["redirect_uris"] = .array(try redirectURIs().map { .string($0.text) })
        members["token_endpoint_auth_method"] = .string(method.rawValue)
        let grantTypes = try supportedGrantTypes()
        members["grant_types"] = .array(grantTypes.map { .string($0.rawValue) })
        members["response_types"] = grantTypes.contains(.authorizationCode) ? ["code"] : []
        for name in ["client_name", "client_uri", "application_type", "scope"] {
            members[name] = try text(name).map { .string($0) }
        }
        members["jwks"] = method == .key ? object["jwks"] : nil
        for name in Self.promises { members[name] = try flag(name).map { .bool($0) } }
        members[Self.profileName] = object[Self.profileName]
        members[Self.algorithmName] = .string(
            try idTokenAlgorithm(algorithms).rawValue)
        let addresses = "post_logout_redirect_uris"
        members[addresses] = object[addresses]
        let client = try ClientMetadata(members).registered(
            as: id, secret: needsSecret ? [] : nil, signingIDTokensWith: algorithms)
        if client.isFAPI2 { for name in Self.promises { members[name] = true } }
        return Registration(members: members, needsSecret: needsSecret)
    }

    /// The client with an accepted description.
    package func registered(
        as id: String, secret: [UInt8]?, signingIDTokensWith algorithms: [Algorithm]
    ) throws(Problem) -> Client {
        let (grantTypes, redirectURIs) = (try supportedGrantTypes(), try redirectURIs())
        if grantTypes.contains(.authorizationCode), redirectURIs.isEmpty { throw .noRedirectURI }
        if let page = try text("client_uri"), !page.hasPrefix("https://") {
            throw Problem(member: "client_uri", rule: "must be https")
        }
        let authentication = try authentication(hasSecret: secret != nil)
        var client = Client(
            id: id, name: try name() ?? id, authentication: authentication, secret: secret,
            keys: try keys(for: authentication), redirectURIs: redirectURIs,
            grantTypes: grantTypes, scope: try words(),
            resources: nil, isFirstParty: false, introspects: nil,
            idTokenAlgorithm: try idTokenAlgorithm(algorithms))
        try setPromises(of: &client)
        client.isSelfRegistered = true
        try readLogout(into: &client)
        return client
    }

    /// A client that is described by the document at the URL that is its ID. It authenticates with
    /// a key or not at all, because it has no secret.
    ///
    /// - Parameter fetched: the keys at `jwks_uri`.
    package func described(
        at url: String, keys fetched: KeySet?, signingIDTokensWith algorithms: [Algorithm]
    ) throws(Problem) -> Client {
        guard try required("client_id").isSame(as: url) else {
            throw Problem(member: "client_id", rule: "must be the URL of the document")
        }
        for name in Self.privileged + ["client_secret", "client_secret_expires_at"]
        where object[name] != nil {
            throw Problem(member: name, rule: "cannot be set by a client")
        }
        let (grantTypes, redirectURIs) = (try supportedGrantTypes(), try redirectURIs())
        let isRedirected = grantTypes.contains(.authorizationCode)
        guard let name = try name(), !redirectURIs.isEmpty || !isRedirected else {
            throw Problem(member: "redirect_uris", rule: "and client_name are required")
        }
        let authentication = try documentMethod()
        let keys = try fetched == nil ? keys(for: authentication) : fetched
        var client = Client(
            id: url, name: name, authentication: authentication, secret: nil, keys: keys,
            redirectURIs: redirectURIs, grantTypes: grantTypes, scope: nil,
            resources: nil, isFirstParty: false, introspects: nil,
            idTokenAlgorithm: try usable(algorithms)[0])
        try setPromises(of: &client)
        client.isSelfRegistered = true
        client.description = description
        try readLogout(into: &client)
        return client
    }

    /// The digest of the members that a person sees, or that authenticate the client.
    private var description: [UInt8] {
        let members = [
            "client_name", "redirect_uris", "jwks", "jwks_uri", "token_endpoint_auth_method",
            "token_endpoint_auth_methods_supported",
        ]
        return SHA256.hash(JSON.array(members.map { object[$0] ?? .null }).serialized)
    }

    /// The first supported method of those that the client offers, in one member or as a list in
    /// another.
    private func documentMethod() throws(Problem) -> Client.Authentication {
        let member = "token_endpoint_auth_method"
        let several = try list("token_endpoint_auth_methods_supported") ?? []
        let offered = [try text(member)].compactMap(\.self) + several
        guard !offered.isEmpty else { return .none }
        let methods = offered.compactMap(Client.Authentication.init(rawValue:))
        guard let method = methods.first(where: { $0 == .none || $0 == .key }) else {
            throw Problem(member: member, rule: "must be none or private_key_jwt")
        }
        return method
    }

    /// Restrictions that the client has asked for, and that the server then enforces.
    private func setPromises(of client: inout Client) throws(Problem) {
        client.requiresProof = try flag(Self.bindsTokens) ?? false
        client.pushesRequests = try flag(Self.pushesRequests) ?? false
        try readProfile(into: &client)
    }

    private static let bindsTokens = "dpop_bound_access_tokens"
    private static let pushesRequests = "require_pushed_authorization_requests"
    package static let algorithmName = "id_token_signed_response_alg"
    static let promises = [bindsTokens, pushesRequests]

    // MARK: Members

    /// Whether the text can be a stored client's ID. It cannot be a URL, because a URL is the ID of
    /// a client that describes itself.
    static func isID(_ id: String) -> Bool {
        (1...idBytesMax).contains(id.utf8.count) && UUIDText(parsing: id.asciiLowercased) == nil
            && id.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"'\\/<>".utf8.contains($0) }
    }

    private func name() throws(Problem) -> String? {
        guard let name = try text("client_name") else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isDefaultIgnorableCodePoint
                && ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
                    scalar.properties.generalCategory)
        }
        guard name.utf8.count <= Self.nameBytesMax, isPlain, name.contains(where: { $0 != " " })
        else {
            throw Problem(member: "client_name", rule: Problem.Rule.name)
        }
        return name
    }

    private func secret() throws(Problem) -> [UInt8]? {
        guard let secret = try text("client_secret") else { return nil }
        guard Self.isSecret(secret) else {
            throw Problem(
                member: "client_secret",
                rule: "must have \(Self.secretBytes.lowerBound) to "
                    + "\(Self.secretBytes.upperBound) bytes")
        }
        return SHA256.hash(Array(secret.utf8))
    }

    /// Whether the text is long enough.
    package static func isSecret(_ text: String) -> Bool { secretBytes.contains(text.utf8.count) }

    private func authentication(hasSecret: Bool) throws(Problem) -> Client.Authentication {
        let member = "token_endpoint_auth_method"
        let standard: Client.Authentication = hasSecret ? .basic : .none
        let method: Client.Authentication = try choice(member) ?? standard
        let needsSecret = method == .basic || method == .post
        guard needsSecret == hasSecret else {
            throw Problem(
                member: member,
                rule: needsSecret
                    ? "\(method.rawValue) needs client_secret"
                    : "\(method.rawValue) does not use client_secret")
        }
        return method
    }

    private func keysURL(for method: Client.Authentication) throws(Problem) -> String? {
        let member = "jwks_uri"
        guard method == .key, let url = try text(member) else { return nil }
        guard object["jwks"] == nil else { throw Problem(member: member, rule: "excludes jwks") }
        guard url.hasPrefix("https://"), url.utf8.count <= 2048 else {
            throw Problem(member: member, rule: "must be an https URL")
        }
        return url
    }

    private func keys(for method: Client.Authentication) throws(Problem) -> KeySet? {
        guard method == .key else { return nil }
        guard let jwks = object["jwks"], let keys = try? KeySet(jwks: jwks) else {
            throw Problem(
                member: "jwks",
                rule: "must hold the public keys of private_key_jwt, or jwks_uri their URL")
        }
        return keys
    }

    func redirectURIs(
        _ member: String = "redirect_uris"
    ) throws(Problem) -> [RedirectURI] {
        let addresses = try list(member) ?? []
        guard addresses.count <= Self.redirectURIsMax else {
            throw Problem(member: member, rule: "must be at most \(Self.redirectURIsMax)")
        }
        return try addresses.map { address throws(Problem) in
            guard let uri = RedirectURI(registering: address) else {
                throw Problem(member: member, rule: Problem.Rule.redirectURI)
            }
            return uri
        }
    }

    private func idTokenAlgorithm(_ algorithms: [Algorithm]) throws(Problem) -> Algorithm {
        let member = Self.algorithmName
        let algorithms = try usable(algorithms)
        guard let name = try text(member) else { return algorithms[0] }
        guard let algorithm = algorithms.first(where: { $0.rawValue.isSame(as: name) }) else {
            let names = algorithms.map(\.rawValue).joined(separator: " or ")
            throw Problem(member: member, rule: Problem.Rule.algorithm + names)
        }
        return algorithm
    }

    // MARK: Kinds of members

    func text(_ name: String) throws(Problem) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else {
            throw Problem(member: name, rule: "must be a string")
        }
        return text
    }

    private func words() throws(Problem) -> [String]? {
        try text("scope").map { $0.split(separator: " ").map(String.init) }
    }

    private func required(_ name: String) throws(Problem) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw Problem(member: name, rule: "is missing")
        }
        return text
    }

    func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let flag = value.boolValue else {
            throw Problem(member: name, rule: "must be true or false")
        }
        return flag
    }

    func list(_ name: String) throws(Problem) -> [String]? {
        guard let value = object[name] else { return nil }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count, texts.count <= Self.words else {
            throw Problem(member: name, rule: "must be a list of strings")
        }
        return texts
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(Problem) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(member: name, rule: "must be one of \(all)")
        }
        return choice
    }
}
