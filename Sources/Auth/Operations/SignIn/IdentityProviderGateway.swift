internal import AuthDomain
package import Bytes
package import IdentityProviders
package import Time

/// The functions of identity providers, such as Apple and Google, that sign-in uses.
package struct IdentityProviderGateway: Sendable {
    /// The names of the configured providers.
    package let providers: [String]
    package let verify:
        @Sendable (_ provider: String, _ idToken: String, NonceExpectation, Instant)
            throws(IdentityFailure) -> VerifiedIdentity
    /// Exchanges an authorization code for the provider's refresh token; nil if the provider does
    /// not support it or is not configured for it.
    package let exchange: @Sendable (_ code: String, VerifiedIdentity, Instant) -> CodeExchange
    /// Verifies a notification of Apple about a user's account.
    package let readNotification:
        @Sendable (_ payload: String, Instant) throws(IdentityFailure) -> AppleNotification

    /// The redirects for sign-ins on the pages.
    package let redirects: ProviderRedirects?

    package init(
        providers: [String], redirects: ProviderRedirects? = nil,
        verify:
            @escaping @Sendable (String, String, NonceExpectation, Instant)
            throws(IdentityFailure) -> VerifiedIdentity,
        exchange: @escaping @Sendable (String, VerifiedIdentity, Instant) -> CodeExchange = {
            _, _, _ in .notConfigured
        },
        readNotification:
            @escaping @Sendable (String, Instant) throws(IdentityFailure) -> AppleNotification = {
                _, _ throws(IdentityFailure) in throw .invalidIssuer
            }
    ) {
        self.providers = providers
        self.redirects = redirects
        self.verify = verify
        self.exchange = exchange
        self.readNotification = readNotification
    }
}

/// The result of exchanging an authorization code. An unreachable provider must not prevent
/// sign-in, but a code of another user must.
package enum CodeExchange: Sendable {
    case granted(refreshToken: SecretBytes)
    case notConfigured
    case refused
    case unreachable
    case belongsToAnotherUser
}
