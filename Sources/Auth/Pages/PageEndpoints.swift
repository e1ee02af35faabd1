internal import AuthOperations
internal import Contracts

/// The pages on which people sign in and manage their accounts. They work without scripts, except
/// for passkeys, and use the same operations as apps.
enum PageEndpoints {
    static let all: [Endpoint] =
        [signIn, registration, mailed, providers, passkeys, stepUp, account, accounts, devices]
        .flatMap {
            $0.map(\.endpoint)
        } + ofProvider.map { $0.endpoint.behind(.oauth) }

    private static let ofProvider = authorization + deviceCode + applications + logout

    /// The services of every page that may start a session.
    static let needs: ServiceNeeds = [
        .sessions, .mail, .links, .hooks, .identityProvidersIfAny, .passkeyFactor, .erasure, .oauth,
    ]
}
