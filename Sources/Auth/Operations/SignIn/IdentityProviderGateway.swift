internal import AuthDomain
package import Bytes
package import IdentityProviders
package import Time

/// The identity providers, as far as sign-in needs them.
package struct IdentityProviderGateway: Sendable {
    /// The names of the providers that are configured.
    package let providers: [String]
    package let verify:
        @Sendable (_ provider: String, _ idToken: String, NonceExpectation, Instant)
            throws(IdentityFailure) -> VerifiedIdentity
    /// Trades an authorization code for the provider's own refresh token; nil where a provider
    /// has none or is not configured for it.
    package let exchange: @Sendable (_ code: String, VerifiedIdentity, Instant) -> CodeExchange

    package init(
        providers: [String],
        verify:
            @escaping @Sendable (String, String, NonceExpectation, Instant)
            throws(IdentityFailure) -> VerifiedIdentity,
        exchange: @escaping @Sendable (String, VerifiedIdentity, Instant) -> CodeExchange = {
            _, _, _ in .notConfigured
        }
    ) {
        self.providers = providers
        self.verify = verify
        self.exchange = exchange
    }
}

/// How the exchange of an authorization code went. A provider that cannot be reached must not
/// keep anybody out; a code that belongs to somebody else must.
package enum CodeExchange: Sendable {
    case granted(refreshToken: SecretBytes)
    case notConfigured
    case refused
    case unreachable
    case belongsToAnotherUser
}
