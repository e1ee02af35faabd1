internal import AuthOperations
internal import Bytes
internal import HTTP
internal import IdentityProviders
internal import Time

extension ProviderSettings {
    /// nil without a client for browsers.
    func redirects(_ transport: HTTPTransport) -> ProviderRedirects? {
        guard !web.isEmpty else { return nil }
        let clients = web.map {
            RedirectClient(
                provider: $0.provider, clientID: $0.id, secret: $0.secret, transport: transport)
        }
        @Sendable func client(_ name: String) throws(AuthError) -> RedirectClient {
            guard let client = clients.first(where: { $0.provider.name.isSame(as: name) }) else {
                throw .signIn(.unknownProvider)
            }
            return client
        }
        return ProviderRedirects(
            providers: clients.map(\.provider.name),
            address: { begun, redirectURI, challenge throws(AuthError) in
                let client = try client(begun.provider)
                do throws(KeyFetchFailure) {
                    return try client.address(
                        returningTo: redirectURI, state: begun.state, nonce: begun.nonce,
                        challenge: challenge)
                } catch {
                    throw .signIn(.identityRejected(.keysUnavailable(error)))
                }
            },
            redeem: { code, begun, redirectURI, now throws(AuthError) in
                let client = try client(begun.provider)
                do throws(TokenEndpointFailure) {
                    let tokens = try client.redeem(
                        code, verifier: begun.verifier, redirectURI: redirectURI, now: now)
                    return RedeemedCode(
                        idToken: tokens.idToken,
                        exchange: tokens.refreshToken.map { .granted(refreshToken: $0) }
                            ?? .notConfigured)
                } catch {
                    switch error {
                    case .unreachable:
                        throw .signIn(.identityRejected(.keysUnavailable(.unreachable)))
                    case .invalidClient, .signingFailed: throw .notConfigured(.identityProviders)
                    case .invalidGrant, .refused, .malformedAnswer, .otherPerson:
                        throw .signIn(.identityRejected(.invalidIDToken))
                    }
                }
            })
    }
}
