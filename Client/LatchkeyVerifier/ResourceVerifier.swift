internal import Foundation
public import LatchkeyClient

/// Verifies the access tokens that the provider gives to other programs for a resource: a server of
/// yours, such as an MCP server (`OAUTH_RESOURCES`).
///
/// ```swift
/// let tools = try ResourceVerifier(
///     issuer: "https://auth.example.com/id", resource: "https://tools.example.com/mcp")
/// do {
///     let access = try await tools.verify(
///         authorization: "Bearer \(token)", scopes: ["tools:use"])
///     print(access.userID, access.clientID ?? "")
/// } catch {
///     print(error.status, error.headers)
/// }
/// ```
///
/// Tokens of users' own sessions are refused, because they have another audience. Tokens that are
/// bound to a client's key (RFC 9449) are refused too, because proofs are not verified here.
public struct ResourceVerifier: Sendable {
    /// Requirements for tokens, and members of the metadata.
    public struct Options: Sendable {
        /// The `alg` of the resource's tokens. The default is the algorithm of the contract
        /// `latchkey`.
        public var algorithm = AccessTokenVerifier.SigningAlgorithm.es256
        /// `resource_name` of the metadata.
        public var name: String?
        /// `scopes_supported` of the metadata: the scopes that a client requests by default.
        public var scopes: [String] = []
        /// The URL of the keys. The default is `/.well-known/jwks.json` of the issuer.
        public var keysURL: String?
        /// The server's list of ended sessions (`REVOCATIONS`). Without the list, a token is valid
        /// until it expires.
        public var revocations: RevocationList?
        /// Allows keys, and a resource, over `http` on machines other than this one.
        public var allowsInsecureHTTP = false

        public init() {}
    }

    /// Serve this at `metadata.path`, also to requests without a token.
    public let metadata: ProtectedResourceMetadata
    private let resource: String
    private let tokens: AccessTokenVerifier

    /// - Parameters:
    ///   - issuer: the setting `ISSUER` of the server.
    ///   - resource: the resource's URI, exactly as in `OAUTH_RESOURCES`.
    public init(
        issuer: String, resource: String, transport: any Transport = URLSessionTransport(),
        clock: any SessionClock = SystemClock(), options: Options = Options()
    ) throws(InvalidConfiguration) {
        let isPlain = resource.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !#""\<>#"#.utf8.contains($0)
        }
        guard isPlain, let parts = URLComponents(string: resource),
            let url = URL(string: resource), let host = url.host(), !host.isEmpty,
            url.user() == nil, url.password() == nil
        else { throw InvalidConfiguration(reason: "the resource must be an absolute URL") }
        guard url.isProtected(orAllowed: options.allowsInsecureHTTP) else {
            throw InvalidConfiguration(reason: "the URL of the resource must begin with https")
        }
        guard options.scopes.allSatisfy(\.isScopeWord) else {
            throw InvalidConfiguration(reason: "a scope is a word without spaces and quotes")
        }
        var own = AccessTokenVerifier.Options()
        own.algorithm = options.algorithm
        own.keysURL = options.keysURL
        own.revocations = options.revocations
        own.allowsInsecureHTTP = options.allowsInsecureHTTP
        tokens = try AccessTokenVerifier(
            issuer: issuer, audience: resource, transport: transport, clock: clock, options: own)
        self.resource = resource
        metadata = ProtectedResourceMetadata(
            resource: parts, uri: resource, issuer: issuer, name: options.name,
            scopes: options.scopes)
    }

    /// Verifies the value of a request's `Authorization` header. Pass nil if the request has no
    /// such header.
    ///
    /// - Parameter scopes: all scopes that the request needs.
    public func verify(
        authorization: String?, scopes: [String] = []
    ) async throws(ResourceRefusal) -> VerifiedAccess {
        let access: VerifiedAccess
        do throws(AccessRefusal) {
            access = try await tokens.verify(authorization: authorization)
            // The resource must be the only audience (RFC 9068 section 4): a server that gets a
            // token with several audiences could use it at the other servers.
            guard access.audience == resource else { throw .invalidToken(.wrongAudience) }
            guard access.clientID != nil, access.text("scope") != nil else {
                throw .invalidToken(.malformed)
            }
        } catch {
            throw ResourceRefusal(error, scopes: scopes, metadataURL: metadata.url)
        }
        guard scopes.allSatisfy(access.scopes.contains) else {
            throw ResourceRefusal(insufficient: scopes, metadataURL: metadata.url)
        }
        return access
    }
}
