package import Time

/// The identity in a verified ID token.
///
/// An identity is `issuer` and `subject` together (ASVS 6.8.1); `email` is only a claim of the
/// provider.
package struct VerifiedIdentity: Sendable, Equatable {
    /// Apple's estimate whether the user is a real person; only at the first sign-in on a device.
    package enum RealUserStatus: Int64, Sendable { case unsupported = 0, unknown, likelyReal }

    /// The configured name of the provider.
    package let provider: String
    /// The provider's canonical issuer, whichever form the token had.
    package let issuer: String
    package let subject: String
    package let email: String?
    /// Whether the provider says that the address is verified, as a boolean or a string.
    package let isEmailVerified: Bool
    /// Whether the address is a relay address of Apple.
    package let isPrivateEmail: Bool
    package let displayName: String?
    package let realUserStatus: RealUserStatus?
    /// Apple's subject for the user under another team, for 60 days after an app was transferred.
    package let transferSubject: String?
    /// Our client ID for which the token was issued.
    package let audience: String
    /// Identifies the token for its single use; independent of the signature's encoding.
    package let tokenFingerprint: [UInt8]
    package let tokenIssuedAt: Instant
    package let tokenExpiresAt: Instant
    /// True if the token had the expected nonce.
    package let nonceWasChecked: Bool

    package init(
        provider: String, issuer: String, subject: String, email: String?,
        isEmailVerified: Bool, isPrivateEmail: Bool, displayName: String?,
        realUserStatus: RealUserStatus?, transferSubject: String?, audience: String,
        tokenFingerprint: [UInt8], tokenIssuedAt: Instant, tokenExpiresAt: Instant,
        nonceWasChecked: Bool
    ) {
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isPrivateEmail = isPrivateEmail
        self.displayName = displayName
        self.realUserStatus = realUserStatus
        self.transferSubject = transferSubject
        self.audience = audience
        self.tokenFingerprint = tokenFingerprint
        self.tokenIssuedAt = tokenIssuedAt
        self.tokenExpiresAt = tokenExpiresAt
        self.nonceWasChecked = nonceWasChecked
    }
}
