package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import IdentityProviders
internal import JOSE
internal import JSON
internal import KeyValueStore
internal import Time

/// The credentials that a client has sent (OAuth 2.1 section 2.4).
package struct ClientCredentials: Sendable {
    package let id: String
    private let way: Way

    private enum Way: Sendable {
        case none
        case basic(secret: String)
        case post(secret: String)
        case assertion(String)
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let idBytesMax = 2048

    /// - Parameter authorization: the value of the header.
    package init(
        _ parameters: RequestParameters, authorization: String?
    ) throws(OAuthError) {
        let secret = parameters["client_secret"]
        let assertion = parameters["client_assertion"]
        let count = [authorization, secret, assertion].count { $0 != nil }
        guard count <= 1 else {
            throw .invalidRequest("A client must authenticate in one way only.")
        }
        let named = parameters["client_id"]
        if let authorization {
            let (id, secret) = try Self.basic(authorization)
            guard named.map({ $0.isSame(as: id) }) ?? true else {
                throw .invalidRequest("client_id differs from the ID in the header.")
            }
            (self.id, way) = (id, .basic(secret: secret))
        } else if let assertion {
            guard parameters["client_assertion_type"] == Self.assertionType else {
                throw .invalidRequest("client_assertion_type is not known.")
            }
            guard let id = named ?? Self.subject(of: assertion) else {
                throw .invalidClient(.unnamed)
            }
            (self.id, way) = (id, .assertion(assertion))
        } else {
            guard let named else { throw .invalidClient(.unnamed) }
            (id, way) = (named, secret.map { .post(secret: $0) } ?? .none)
        }
        guard id.utf8.count <= Self.idBytesMax else { throw .invalidClient(.unnamed) }
    }

    /// Both halves are encoded as in a form (RFC 6749 section 2.3.1).
    private static func basic(
        _ header: String
    ) throws(OAuthError) -> (id: String, secret: String) {
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, String(parts[0]).asciiLowercased.isSame(as: "basic"),
            let decoded = Base64.decode(String(parts[1])),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let id = String(validating: decoded[..<colon], as: UTF8.self)
                .flatMap({ PercentEncoding.decode($0, plusIsSpace: true) }),
            let secret = String(validating: decoded[(colon + 1)...], as: UTF8.self)
                .flatMap({ PercentEncoding.decode($0, plusIsSpace: true) }), !id.isEmpty
        else { throw .invalidClient(.unnamed) }
        return (id, secret)
    }

    /// The client that an assertion names, before anything in the assertion is verified.
    private static func subject(of assertion: String) -> String? {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(bytes, limits: .request)
        else { return nil }
        return claims["sub"]?.stringValue
    }

    /// Whether the credentials are an assertion, which needs a key before anything else is read.
    fileprivate var areSigned: Bool {
        if case .assertion = way { return true }
        return false
    }

    /// The subjects for which a token request is counted. With a wrong secret, the request is
    /// counted under that secret, so that it does not use up the client's own limit.
    fileprivate func counted(_ caller: Caller) -> [(RateLimit.Subject, String?)] {
        switch way {
        case .none: [(.client, id), (.address, caller.address)]
        case .basic(let secret), .post(let secret):
            [(.client, "\(id) \(Hex.encode(SHA256.hash(Array(secret.utf8))))")]
        case .assertion: [(.client, id)]
        }
    }

    /// Whether the credentials are the client's, sent in the way that it has registered.
    ///
    /// - Parameter verifier: returns the client with the keys for an assertion.
    fileprivate func proof(
        of client: Client, to servers: [String], at now: Instant,
        by verifier: (_ assertion: String) throws(AuthError) -> Client?
    ) throws(AuthError) -> Result<ProvenClient, OAuthError> {
        switch (client.authentication, way) {
        case (.none, .none): break
        case (.basic, .basic(let secret)), (.post, .post(let secret)),
            (.basic, .post(let secret)), (.post, .basic(let secret)):
            guard client.hasSecret(SHA256.hash(Array(secret.utf8)), at: now) else {
                return .failure(.invalidClient(.wrongSecret))
            }
            // Who has the secret may know how it must be sent.
            guard isSent(as: client.authentication) else {
                return .failure(.invalidClient(.otherMethod, expected: client.authentication))
            }
        case (.key, .assertion(let text)):
            guard let client = try verifier(text), client.authentication == .key,
                let keys = client.keys,
                let assertion = ClientAssertion(
                    verifying: text, of: client, by: keys, to: servers, at: now)
            else { return .failure(.invalidClient(.wrongAssertion)) }
            return .success(ProvenClient(client: client, use: assertion.use))
        case (.basic, .none), (.post, .none): return .failure(.invalidClient(.noSecret))
        case (.none, _), (.basic, .assertion), (.post, .assertion), (.key, _):
            return .failure(.invalidClient(.otherMethod))
        }
        return .success(ProvenClient(client: client, use: nil))
    }

    private func isSent(as method: Client.Authentication) -> Bool {
        if case .basic = way { return method == .basic }
        return method == .post
    }
}

/// A client that has proven who it is. Only `AuthServices.prove` creates this value.
package struct ProvenClient: Sendable {
    package let client: Client
    /// The client's assertion, which the operation's first store call counts as used.
    let use: LimitedUse?

    fileprivate init(client: Client, use: LimitedUse?) {
        self.client = client
        self.use = use
    }
}

extension AuthServices {
    /// Unknown clients and wrong credentials get the same error. Wrong secrets are counted for the
    /// client, from whatever address they come, but never cause the right secret to be refused.
    ///
    /// - Parameter caller: who begins a request. A client's document is fetched for this caller if
    ///   necessary.
    package func prove(
        _ credentials: ClientCredentials, for caller: Caller? = nil
    ) throws(AuthError) -> ProvenClient {
        try prove(credentials, of: client(credentials.id, for: caller))
    }

    private func prove(
        _ credentials: ClientCredentials, of client: Client?
    ) throws(AuthError) -> ProvenClient {
        let (oauth, now) = (try oauth, clock.now())
        // The FAPI profile accepts only the issuer as audience (FAPI 2.0 section 5.3.2.1).
        let isStrict = client?.isFAPI2 ?? false
        let servers = [oauth.issuer] + (isStrict ? [] : [oauth.endpoint(.token)])
        logFacts.values.judgedClient =
            client?.id ?? (oauth.isSafeToLog(unknownClient: credentials.id) ? credentials.id : nil)
        let judged = try client.map { client throws(AuthError) in
            try credentials.proof(
                of: client, to: servers, at: now,
                by: { assertion throws(AuthError) in try verifier(client, of: assertion) })
        }
        switch judged ?? .failure(.invalidClient(.unknown)) {
        case .success(let proven): return proven
        case .failure(let refusal):
            let opening = try open(
                .authenticateClient, counting: [(.client, credentials.id)])
            try opening.admit()
            throw .oauth(refusal)
        }
    }

    /// Opens an operation of a client that may use the grant type. The client's row is read with
    /// the other rows and judged first, unless its key or its document must be known earlier.
    ///
    /// - Parameters:
    ///   - begins: whether the request begins a grant or a sign-in, for which a client's document
    ///     is fetched.
    ///   - counter: as in the other `open`.
    func open(
        _ operation: AuthOperation, as type: Client.GrantType, by credentials: ClientCredentials,
        _ caller: Caller, begins: Bool = false, reading keys: [ItemKey] = [],
        listing query: PartitionQuery? = nil, tallying counter: CounterIncrement? = nil
    ) throws(AuthError) -> (client: Client, opening: Opening) {
        func admitted(_ proven: ProvenClient) throws(AuthError) -> Client {
            guard proven.client.mayUse(type) else { throw .oauth(.unauthorizedClient(type)) }
            if proven.client.isFAPI2, let key = caller.key, !key.algorithm.isOfFAPI2 {
                throw .proof(.invalid)
            }
            return proven.client
        }
        let counted = credentials.counted(caller)
        guard !begins, !credentials.areSigned, let row = try clientKey(credentials.id) else {
            let proven = try prove(credentials, for: begins ? caller : nil)
            let client = try admitted(proven)
            let opening = try open(
                operation, counting: counted, reading: keys, listing: query,
                provenBy: caller.key, using: proven.use, tallying: counter)
            return (client, opening)
        }
        let opening = try openUnjudged(
            operation, counting: counted, reading: keys.contains(row) ? keys : keys + [row],
            listing: query,
            provenBy: caller.key, tallying: counter)
        let found = try self.client(credentials.id, row: opening.items[row])
        let client = try admitted(try prove(credentials, of: found))
        try opening.admitUses()
        return (client, opening)
    }

    /// The client with the keys for an assertion. If a key is unknown, the client's document is
    /// fetched again. nil if the client has no key with that ID.
    private func verifier(
        _ client: Client, of assertion: String
    ) throws(AuthError) -> Client? {
        let kid = (try? CompactToken(parsing: assertion))?.kid
        guard let url = client.keysURL else {
            guard let kid, client.description != nil, let keys = client.keys, keys.key(kid) == nil
            else { return client }
            return try documentClientWithNewKeys(client.id)
        }
        guard let cache = try oauth.keySets, let kid else { return nil }
        let source = ProviderConfiguration(signer: client.id, name: "client", keysAt: url)
        do {
            var client = client
            client.keys = try cache.keys(of: source, holding: kid)
            return client
        } catch {
            if case .keysUnavailable = error { throw .unavailable(.identityProvider) }
            return nil
        }
    }
}

extension AuthOperation {
    /// Counts failed client authentications.
    package static let authenticateClient = AuthOperation(
        "authenticateClient", servedBy: "token", counting: [.client])
}

/// A client assertion: a statement that a client has signed with its own key (RFC 7523 section 3).
private struct ClientAssertion {
    let use: LimitedUse

    private static let lifetimeMax = Span.minutes(5)
    private static let leeway = Span.seconds(10)

    /// nil unless the assertion is the client's, has only this server as audience, and expires
    /// soon.
    init?(
        verifying text: String, of client: Client, by keys: KeySet, to servers: [String],
        at now: Instant
    ) {
        var expectations = TokenExpectations(
            issuers: [client.id], audiences: servers,
            types: [nil, "JWT", "client-authentication+jwt"], now: now, leeway: .zero)
        expectations.issueLeeway = Self.leeway
        guard let signed = try? CompactToken(parsing: text),
            !client.isFAPI2
                || Algorithm.allCases.contains(where: {
                    $0.isOfFAPI2 && signed.isSigned(with: $0)
                }),
            let token = try? JWT.verify(signed, keys: keys, expecting: expectations),
            token.subject.map({ $0.isSame(as: client.id) }) ?? false,
            // If the assertion had several audiences, another server could use it here.
            token.claims["aud"]?.stringValue != nil,
            let id = token.claims["jti"]?.stringValue, !id.isEmpty,
            let expiresAt = token.expiresAt, expiresAt <= now + Self.lifetimeMax
        else { return nil }
        use = LimitedUse(
            counter: CounterIncrement(
                StoreLayout.presentations(ofAssertion: id, from: client.id),
                expiresAt: expiresAt + .minutes(1)),
            refused: .oauth(.invalidClient(.usedAssertion)))
    }
}
