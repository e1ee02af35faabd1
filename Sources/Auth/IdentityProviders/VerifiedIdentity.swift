package import Time

/// Who signed in at a provider, from a verified ID token.
///
/// An identity is `issuer` and `subject` together (ASVS 6.8.1); `email` is something that the
/// provider says about it.
package struct VerifiedIdentity: Sendable, Equatable {
    /// Apple's guess whether the account is a person's; only at the first sign-in on a device.
    package enum RealUserStatus: Int64, Sendable { case unsupported = 0, unknown, likelyReal }

    /// The configured name of the provider.
    package let provider: String
    /// The provider's first configured issuer, whichever of its spellings the token had.
    package let issuer: String
    package let subject: String
    package let email: String?
    /// False unless the provider said so, in either of the two spellings of true.
    package let isEmailVerified: Bool
    /// Apple's relay address.
    package let isPrivateEmail: Bool
    package let displayName: String?
    package let realUserStatus: RealUserStatus?
    /// Apple's name for the person at another team, for 60 days after an app was transferred.
    package let transferSubject: String?
    /// The client id of ours for which the token was issued.
    package let audience: String
    /// Names the token for its one use; the same for every spelling of its signature.
    package let tokenFingerprint: [UInt8]
    package let tokenIssuedAt: Instant
    package let tokenExpiresAt: Instant
    /// True if the token carried the nonce that was asked for.
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
