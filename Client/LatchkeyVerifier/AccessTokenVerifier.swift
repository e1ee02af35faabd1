internal import Foundation
internal import JOSE
internal import JSON
public import LatchkeyClient
internal import Time

/// Verifies access tokens in an application's own server, without asking the sign-in server.
///
/// ```swift
/// let verifier = try AccessTokenVerifier(issuer: "https://auth.example.com")
/// do {
///     let access = try await verifier.verify(authorization: "Bearer \(token)")
///     print(access.userID)
/// } catch {
///     print(error.status, error.headers)
/// }
/// ```
///
/// A token is valid until it expires, even after a sign-out, unless the verifier has the server's
/// list of ended sessions (`Options.revocations`). Tokens that are bound to a client's key (RFC
/// 9449) are refused, because proofs are not verified here.
public struct AccessTokenVerifier: Sendable {
    /// The algorithm of the server's tokens. No other is accepted.
    public enum SigningAlgorithm: String, Sendable {
        case es256 = "ES256"
        case rs256 = "RS256"
        case edDSA = "EdDSA"
    }

    /// Requirements for tokens. The defaults fit the contract `latchkey`.
    public struct Options: Sendable {
        public var algorithm = SigningAlgorithm.es256
        /// `typ` of the header, so that a token of another kind is not accepted as an access token
        /// (RFC 8725 section 3.11).
        public var tokenType = "at+jwt"
        /// The URL of the keys. The default is `/.well-known/jwks.json` of the issuer.
        public var keysURL: String?
        /// The server's list of ended sessions (`REVOCATIONS`). Without the list, a token is valid
        /// until it expires.
        public var revocations: RevocationList?
        /// Allows keys over `http` from machines other than this one.
        public var allowsInsecureHTTP = false

        public init() {}
    }

    private let issuer: String
    private let audience: String
    private let tokenType: String
    private let keys: KeyCache
    private let clock: any SessionClock
    private let revocations: RevocationList?

    /// - Parameters:
    ///   - issuer: `iss` of the tokens, which is the setting `ISSUER` of the server.
    ///   - audience: `aud` of the tokens.
    public init(
        issuer: String, audience: String = "latchkey",
        transport: any Transport = URLSessionTransport(), clock: any SessionClock = SystemClock(),
        options: Options = Options()
    ) throws(InvalidConfiguration) {
        guard !issuer.isEmpty, !audience.isEmpty, !options.tokenType.isEmpty else {
            throw InvalidConfiguration(reason: "issuer, audience and token type are needed")
        }
        let url = try IssuerURL.of(
            "/.well-known/jwks.json", issuer, orAt: options.keysURL, named: "the keys",
            allowsInsecureHTTP: options.allowsInsecureHTTP)
        self.issuer = issuer
        self.audience = audience
        self.clock = clock
        tokenType = options.tokenType
        revocations = options.revocations
        keys = KeyCache(
            url: url, algorithm: Algorithm(options.algorithm), transport: transport, clock: clock)
    }

    /// Verifies the value of a request's `Authorization` header. Pass nil if the request has no
    /// such header.
    public func verify(authorization: String?) async throws(AccessRefusal) -> VerifiedAccess {
        guard let authorization else { throw .missingToken }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard let scheme = parts.first else { throw .missingToken }
        guard scheme.lowercased() == "bearer" else {
            // Another middleware may accept a token with another scheme.
            throw scheme.lowercased() == "dpop" ? .invalidToken(.boundToKey) : .missingToken
        }
        guard parts.count == 2 else { throw .invalidToken(.malformed) }
        return try await verify(token: String(parts[1]))
    }

    /// Verifies an access token.
    public func verify(token: String) async throws(AccessRefusal) -> VerifiedAccess {
        let keyID = try keyID(of: token)
        let keys = try await keys.keys(holding: keyID)
        var expectations = TokenExpectations(
            issuers: [issuer], audiences: [audience], types: [tokenType],
            now: Instant(milliseconds: Int64(clock.now().timeIntervalSince1970 * 1000)),
            leeway: .zero, requires: ["sub", "iat"])
        // The server's clock may be ahead of this machine's clock.
        expectations.issueLeeway = .minutes(1)
        let verified: VerifiedToken
        do throws(TokenFailure) {
            verified = try JWT.verify(token, keys: keys, expecting: expectations)
        } catch {
            throw .invalidToken(InvalidToken(error))
        }
        // No downgrade (RFC 9449 section 7.2): a bound token is not a bearer token.
        guard verified.claims["cnf"] == nil else { throw .invalidToken(.boundToKey) }
        guard let access = VerifiedAccess(verified) else { throw .invalidToken(.malformed) }
        if let refusal = await revocations?.refusal(of: access, token: token) { throw refusal }
        return access
    }

    /// A malformed token must not cause a request for keys.
    private func keyID(of token: String) throws(AccessRefusal) -> String {
        do throws(TokenFailure) {
            if let id = try CompactToken(parsing: token).kid { return id }
            throw TokenFailure.missingKeyID
        } catch {
            throw .invalidToken(InvalidToken(error))
        }
    }
}

/// A mistake in the parameters of a verifier.
public struct InvalidConfiguration: Error, Equatable, Sendable {
    public let reason: String
}

enum IssuerURL {
    /// - Parameters:
    ///   - path: the path below the issuer.
    ///   - other: the URL, if it does not follow from the issuer.
    static func of(
        _ path: String, _ issuer: String, orAt other: String?, named name: String,
        allowsInsecureHTTP: Bool
    ) throws(InvalidConfiguration) -> URL {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        guard let url = URL(string: other ?? base + path), let host = url.host(), !host.isEmpty,
            url.user() == nil, url.password() == nil
        else { throw InvalidConfiguration(reason: "the URL of \(name) is not valid") }
        guard url.isProtected(orAllowed: allowsInsecureHTTP) else {
            throw InvalidConfiguration(reason: "the URL of \(name) must begin with https")
        }
        return url
    }
}

extension Algorithm {
    init(_ algorithm: AccessTokenVerifier.SigningAlgorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .rs256: self = .rs256
        case .edDSA: self = .edDSA
        }
    }
}
