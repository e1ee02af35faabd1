package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import IdentityProviders
package import Time

/// The interface of the pages to the identity providers. The pages send browsers there.
package struct ProviderRedirects: Sendable {
    /// The names of the providers with a client for browsers.
    package let providers: [String]
    /// The address to which the browser is sent.
    package let address:
        @Sendable (BegunRedirect, _ returningTo: String, _ challenge: String) throws(AuthError)
            -> String
    package let redeem:
        @Sendable (_ code: String, BegunRedirect, _ returningTo: String, Instant)
            throws(AuthError) -> RedeemedCode

    package init(
        providers: [String],
        address: @escaping @Sendable (BegunRedirect, String, String) throws(AuthError) -> String,
        redeem:
            @escaping @Sendable (String, BegunRedirect, String, Instant) throws(AuthError)
            -> RedeemedCode
    ) {
        self.providers = providers
        self.address = address
        self.redeem = redeem
    }
}

/// The state that a browser keeps while it is at a provider. The browser with the state began the
/// sign-in (RFC 9700 section 4.7.1).
package struct BegunRedirect: Sendable {
    package let provider: String
    package let state: String
    /// The nonce is issued here, and the sign-in uses it up.
    package let nonce: String
    /// The code verifier (RFC 7636 section 4.1).
    package let verifier: String
    /// If the provider is to be added to an account: the session of that account. Empty for a
    /// sign-in.
    package let session: String

    package init(
        provider: String, state: String, nonce: String, verifier: String, session: String
    ) {
        self.provider = provider
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.session = session
    }
}

package struct RedeemedCode: Sendable {
    /// The token is not verified yet.
    package let idToken: String
    package let exchange: CodeExchange

    package init(idToken: String, exchange: CodeExchange) {
        self.idToken = idToken
        self.exchange = exchange
    }
}

extension AuthServices {
    /// The providers to which the pages can send a browser.
    package var redirectProviders: [String] {
        (try? identityProviders.redirects?.providers) ?? []
    }

    /// - Parameter principal: the user who adds the provider; nil for a sign-in.
    package func beginRedirect(
        to provider: String, adding principal: Principal?, returningTo redirectURI: String,
        _ caller: Caller
    ) throws(AuthError) -> (address: String, BegunRedirect) {
        let redirects = try redirects(to: provider)
        // The sign-in is checked before the redirect to the provider, too, not only when the
        // browser comes back.
        if let principal { try requireRecentSignIn(principal, at: clock.now()) }
        let begun = BegunRedirect(
            provider: provider, state: Base64URL.encode(random.bytes(32)),
            nonce: try challenge(caller).nonce, verifier: Base64URL.encode(random.bytes(32)),
            session: principal?.session.id.text ?? "")
        let challenge = Base64URL.encode(SHA256.hash(Array(begun.verifier.utf8)))
        return (try redirects.address(begun, redirectURI, challenge), begun)
    }

    /// The identity token for a code. A sign-in, or the addition of the provider, still has to
    /// verify it.
    package func redeemProviderCode(
        _ code: String, of begun: BegunRedirect, returningTo redirectURI: String, _ caller: Caller
    ) throws(AuthError) -> RedeemedCode {
        let redirects = try redirects(to: begun.provider)
        let chain = AuditChain.network(of: caller)
        let opening = try open(
            .redeemProviderCode, counting: [(.address, caller.address)], reading: [chain.headKey])
        try opening.admit()
        do throws(AuthError) {
            return try redirects.redeem(code, begun, redirectURI, clock.now())
        } catch {
            guard case .signIn(.identityRejected(.invalidIDToken)) = error else { throw error }
            try recordFailure(
                .signInFailed, on: try audit(chain, opening.items), caller,
                detail: "providerCodeRefused")
            throw error
        }
    }

    private func redirects(to provider: String) throws(AuthError) -> ProviderRedirects {
        guard let redirects = try identityProviders.redirects,
            redirects.providers.contains(where: { $0.isSame(as: provider) })
        else { throw .signIn(.unknownProvider) }
        logFacts.values.provider = provider
        return redirects
    }
}

extension AuthOperation {
    package static let redeemProviderCode = AuthOperation(
        "redeemProviderCode", servedBy: "ui", counting: [.address], audited: .others)
}
