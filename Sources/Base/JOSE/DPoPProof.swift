internal import Bytes
internal import JSON
package import Time

/// A DPoP proof with a valid signature (RFC 9449 section 4.2): it proves that the client has the
/// private key, and says for which request it was signed.
///
/// The key is the proof's own: by itself a proof says nothing about who the client is.
package struct DPoPProof: Equatable, Sendable {
    /// The JWK thumbprint of its key (RFC 7638).
    package let thumbprint: String
    package let algorithm: Algorithm
    package let method: String
    package let url: String
    package let issuedAt: Instant
    /// The `ath` claim: the SHA-256 of an access token, in base64url.
    package let accessTokenHash: String?
    /// A nonce from the server that gets the request.
    package let nonce: String?
    /// SHA-256 of the signing input, which identifies the proof. The `jti` does not identify it:
    /// two example proofs in RFC 9449 have the same.
    package let fingerprint: [UInt8]

    /// The accepted algorithms, the preferred ones first.
    package static let algorithms: [Algorithm] = [.es256, .edDSA, .rs256]

    private static let idBytesMax = 256

    /// Checks the requirements of section 4.3 on the proof itself (its items 1 to 7).
    package init(verifying text: String) throws(TokenFailure) {
        let token = try CompactToken(parsing: text)
        guard let type = token.header["typ"]?.stringValue,
            type.asciiLowercased.isSame(as: Self.type)
        else { throw .wrongType }
        let key = try Self.key(token)
        let verified = try JWS.verify(token, candidates: [key])
        let claims = try RegisteredClaims(parsing: verified.payload)
        let id = try Self.required("jti", claims)
        guard (1...Self.idBytesMax).contains(id.utf8.count) else { throw .malformedClaims }
        guard let issuedAt = claims.issuedAt else { throw .missingClaim("iat") }
        thumbprint = key.thumbprint
        algorithm = key.algorithm
        method = try Self.required("htm", claims)
        url = try Self.required("htu", claims)
        self.issuedAt = issuedAt
        accessTokenHash = try Self.text("ath", claims)
        nonce = try Self.text("nonce", claims)
        fingerprint = verified.fingerprint
    }

    private static let type = "dpop+jwt"

    /// This is the only place where a token contains its own key. A symmetric key, or one with its
    /// private part, is refused.
    private static func key(_ token: CompactToken) throws(TokenFailure) -> VerificationKey {
        guard let jwk = token.header["jwk"]?.objectValue else { throw .malformed }
        guard let key = try? VerificationKey(jwk: jwk), algorithms.contains(key.algorithm) else {
            throw .algorithmMismatch
        }
        return key
    }

    private static func required(
        _ name: String, _ claims: RegisteredClaims
    ) throws(TokenFailure) -> String {
        guard let text = try text(name, claims) else { throw .missingClaim(name) }
        return text
    }

    private static func text(
        _ name: String, _ claims: RegisteredClaims
    ) throws(TokenFailure) -> String? {
        guard let value = claims.object[name] else { return nil }
        guard let text = value.stringValue else { throw .malformedClaims }
        return text
    }
}
