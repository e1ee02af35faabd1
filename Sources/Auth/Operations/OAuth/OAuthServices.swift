internal import AuthDomain
internal import Bytes
package import IdentityProviders
package import JOSE
internal import Time

/// Problems with a client that are reported to the operator.
package enum ClientReport: Sendable {
    /// A client in the store counts as unknown, because the present settings exclude it.
    case notUsable(_ client: String, ClientMetadata.Problem)
}

/// The provider's clients, resources and keys.
package struct OAuthServices: Sendable {
    package let issuer: String
    package let resources: [ProtectedResource]
    package let defaultResource: String?
    package let registration: ClientRegistration
    /// The documents of self-described clients; nil if none are accepted.
    let documents: ClientDocuments?
    /// The keys for signing ID tokens, by algorithm.
    private(set) var idTokenKeys: [Algorithm: SigningKeys]
    private let accessTokenAlgorithm: Algorithm
    /// Caches the keys of clients that name a URL for them.
    let keySets: KeySetCache?
    let report: @Sendable (ClientReport) -> Void
    /// Sends notices of ended sessions; nil in a function that leaves this to other functions.
    let logout: LogoutServices?
    private let clients: [String: Client]
    /// Audiences of tokens for our own use, which no client can have as its ID.
    private let ownAudiences: [String]

    package init(
        issuer: String, clients: [Client], resources: [ProtectedResource],
        defaultResource: String?, registration: ClientRegistration,
        documents: ClientDocuments?, idTokenKeys: [Algorithm: SigningKeys],
        accessTokenAlgorithm: Algorithm, keySets: KeySetCache? = nil,
        report: @escaping @Sendable (ClientReport) -> Void = { _ in },
        logout: LogoutServices? = nil, ownAudiences: [String] = []
    ) {
        self.issuer = issuer
        self.resources = resources
        self.defaultResource = defaultResource
        self.registration = registration
        self.documents = documents
        self.idTokenKeys = idTokenKeys
        self.accessTokenAlgorithm = accessTokenAlgorithm
        self.keySets = keySets
        self.report = report
        self.logout = logout
        self.ownAudiences = ownAudiences
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The endpoints below the issuer.
    package enum Endpoint: String, CaseIterable {
        case authorize, par, token, revoke, introspect, userinfo, register, device
        case deviceAuthorization = "device_authorization"
        case endSession = "logout"
    }

    package func endpoint(_ endpoint: Endpoint) -> String {
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        return "\(base)/oauth/\(endpoint.rawValue)"
    }

    /// The algorithm that signs tokens for the audience.
    func algorithm(for audience: String) -> Algorithm {
        resource(audience)?.algorithm ?? accessTokenAlgorithm
    }

    /// The keys for the algorithm; nil for the default one.
    func keys(_ algorithm: Algorithm) -> SigningKeys? {
        algorithm == accessTokenAlgorithm ? nil : idTokenKeys[algorithm]
    }

    /// The ID token keys that do not also sign access tokens.
    var furtherKeys: [SigningKeys] {
        idTokenKeys.filter { $0.key != accessTokenAlgorithm }.map(\.value)
    }

    func measured(by meter: StoreMeter) -> OAuthServices {
        var copy = self
        copy.idTokenKeys = idTokenKeys.mapValues { $0.measured(by: meter) }
        return copy
    }

    package func client(_ id: String) -> Client? { clients[id] }

    /// Whether a client with this ID can be in the store. Looking up an unknown ID costs a read.
    func mayStore(_ id: String) -> Bool {
        ClientMetadata.isID(id) && !ownAudiences.contains(where: id.isSame(as:))
    }

    /// Whether the log may have the ID that an unknown client has presented. It may be a secret in
    /// the wrong parameter, so unless the server has generated it, it must be shorter than secrets.
    func isSafeToLog(unknownClient id: String) -> Bool {
        if documents?.accept(id) ?? false { return true }
        return mayStore(id) && !id.utf8.contains(UInt8(ascii: "@"))
            && (ClientID.isOne(id) || !ClientMetadata.isSecret(id))
    }

    /// The clients in the settings.
    package var configuredClients: [Client] { clients.values.sorted { $0.id < $1.id } }

    /// The origins of the clients' web apps, whose scripts may request tokens.
    package var clientOrigins: [String] {
        clients.values.flatMap { client in
            client.redirectURIs.filter { $0.kind == .web }.map { RedirectURI.target(of: $0.text) }
        }
    }

    package func resource(_ uri: String) -> ProtectedResource? {
        resources.first { $0.uri.isSame(as: uri) }
    }

    /// Whether this deployment has the scope.
    package func isDefined(_ scope: String) -> Bool {
        StandardScope.isOne(scope) || resources.contains { $0.has(scope) }
    }

    /// Whether a client may ask for the scope.
    func isKnown(_ word: String, to client: Client) -> Bool {
        isDefined(word) && client.scope?.contains { $0.isSame(as: word) } ?? true
    }

    /// Whether a client may ask for tokens for the resource.
    func isOpen(_ resource: String, to client: Client) -> Bool {
        guard self.resource(resource) != nil,
            !client.isFAPI2 || algorithm(for: resource).isOfFAPI2
        else { return false }
        return client.resources?.contains { $0.isSame(as: resource) } ?? true
    }

    /// The audiences of tokens for a request without `resource`.
    ///
    /// A client that only asks who the user is gets a token for the provider's own userinfo (OpenID
    /// Connect Core section 5.3). Otherwise the audience is the operator's default. Without a
    /// default and without OpenID Connect, it is the only resource that has the scopes (RFC 9068
    /// section 3).
    func inferredResources(for scope: [String], of client: Client) -> [String] {
        let words = scope.filter { !StandardScope.isOne($0) }
        let isOpenID = scope.contains(StandardScope.openid.rawValue)
        if isOpenID, words.isEmpty { return [] }
        if let defaultResource, isOpen(defaultResource, to: client) { return [defaultResource] }
        guard !isOpenID, !words.isEmpty else { return [] }
        let having = resources.filter { resource in
            words.allSatisfy(resource.has) && isOpen(resource.uri, to: client)
        }
        return having.count == 1 ? [having[0].uri] : []
    }

    /// The grant's scopes that the audience knows.
    func words(of scope: [String], for audience: String) -> [String] {
        guard let resource = resource(audience) else {
            return scope.filter(StandardScope.isOne)
        }
        return scope.filter(resource.has)
    }
}

extension AuthServices {
    package var oauth: OAuthServices {
        get throws(AuthError) {
            guard let services = oauthIfOn else { throw .fault(.serviceNotConfigured) }
            return services
        }
    }

    var oauthPolicy: OAuthPolicy {
        get throws(AuthError) {
            guard let policy = policy.oauth else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }
}
