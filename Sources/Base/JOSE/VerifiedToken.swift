package import JSON
package import Time

/// A token with verified signature and claims. Only `JWT.verify` creates one.
package struct VerifiedToken: Sendable {
    package let header: JSONObject
    package let claims: JSONObject
    /// SHA-256 of the signing input, to detect a second use of a one-time token. Do not use the
    /// token's text: the same token can have several.
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
