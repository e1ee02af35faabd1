package import JSON
package import Time

/// A token whose signature and claims were checked. Only `JWT.verify` makes one.
package struct VerifiedToken: Sendable {
    package let header: JSONObject
    package let claims: JSONObject
    /// SHA-256 of the signing input: what to remember where a token may be used once. Never the
    /// token's text, of which there can be several.
    package let fingerprint: [UInt8]
    package let issuer: String?
    package let subject: String?
    package let audiences: [String]
    package let expiresAt: Instant?
    package let issuedAt: Instant?
    package let notBefore: Instant?

    init(_ verified: JWS.Verified, claims: RegisteredClaims) {
        header = verified.header
        fingerprint = verified.fingerprint
        self.claims = claims.object
        issuer = claims.issuer
        subject = claims.subject
        audiences = claims.audiences ?? []
        expiresAt = claims.expiresAt
        issuedAt = claims.issuedAt
        notBefore = claims.notBefore
    }
}
