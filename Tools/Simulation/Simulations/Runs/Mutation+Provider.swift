import AuthDomain
import Time

extension Mutation {
    /// Bugs of other providers (see the issue numbers), planted in this one.
    static let ofProvider: [Mutation] =
        [
            provider(
                "B1-code-of-another", "a code works for every client", .takesCodeOfAnyClient),
            provider(
                "B1-refresh-of-another", "a refresh token works for every client",
                .refreshesForAnyClient),
            unconditional([.authorizationCode]).named("B2-unconditional-code"),
            unconditional([.clientGrant]).named("B3-unconditional-grant"),
            provider(
                "B4-wrong-replay", "a replay of a code ends the grant, whoever sends it",
                .endsGrantByWrongReplay),
            provider(
                "B5-redirected-errors", "errors go to an address that is not the client's",
                .redirectsErrors),
            provider(
                "B6-foreign-address", "an address that only begins like the client's is accepted",
                .takesAddressOfAnother),
            provider(
                "B8-loopback-path", "another path is accepted in an address on the user's machine",
                .takesAnyLoopbackPath),
            provider("B14-any-verifier", "the verifier is not compared", .takesAnyVerifier),
            provider("B15-plain-challenge", "a challenge may be plain", .takesPlainChallenge),
            provider(
                "B16-late-resource", "the resource is only read at the token endpoint",
                .takesResourceOfTokenRequest
            )
            .breaking(.consentPrecedes),
            provider(
                "B17-any-audience", "a resource server does not check the audience",
                .resourceServerTakesAll),
            provider(
                "B18-introspection", "a resource server gets information about tokens for others",
                .introspectsForAll),
            provider("B19-revocation", "a client revokes tokens of others", .revokesForAll),
            provider(
                "B20-grant-types", "a client gets refresh tokens without being registered for them",
                .refreshesForAll),
            provider(
                "B21-userinfo", "userinfo takes ID tokens and users' own tokens",
                .describesForAnyToken
            )
            .breaking(.audienceIsKept),
            provider(
                "B21-own-interface", "a client's token is taken as the user's own",
                .takesClientTokensAsOwn
            )
            .breaking(.audienceIsKept),
            provider("B23-no-consent", "users are not asked for consent", .skipsConsent),
            provider(
                "B24-another-browser", "a request is answered in another browser",
                .answersInAnyBrowser),
            provider(
                "B26-remembered-stranger",
                "the consent to a client that has registered itself is remembered",
                .trustsStrangers),
            provider(
                "B29-closed-account", "the account is not read again", .remembersAccounts),
            provider(
                "B33-assertion-again", "a client's assertion is accepted twice",
                .takesAssertionsAgain),
            provider("B36-any-secret", "the secret of a client is not compared", .takesAnySecret),
            provider(
                "B36-any-proof", "a client authenticates in a way that is not registered",
                .takesAnyProof),
            provider(
                "B39-wrong-resource", "a code is used up by a request that is refused",
                .usesCodeUpForWrongResource),
            provider("B40-own-errors", "errors do not have the form of OAuth", .answersInOwnForm),
            provider(
                "B41-limits", "a dead token is answered with 429 (too many requests)",
                .limitsHideDeadTokens),
            provider("B42-no-offline", "offline_access is ignored", .ignoresOffline),
            policy("B44-no-grace", "a client's refresh is never repeated") {
                $0.sessions.rotation = .everyUse(grace: .zero)
            }
            .breaking(.accessIsKept),
            policy("B47-one-grant", "a new grant ends the others of the account") {
                $0.oauth?.grantsMax = 1
            },
            provider("B54-max-age", "max_age is ignored", .ignoresAge),
            provider("B56-nonce", "an ID token does not have its nonce", .forgetsNonce),
            provider(
                "B61-offline-ends", "signing out in the browser ends offline grants",
                .endsOfflineGrants),
            provider(
                "B62-online-stays", "signing out in the browser ends no grants",
                .keepsOnlineGrants),
            provider(
                "exchange-for-any-server", "a token is exchanged for a server that was not granted",
                .exchangesForAnyServer),
            provider(
                "own-scope", "a program gets scopes for itself that it is not registered for",
                .widensOwnScope
            )
            .breaking(.clientIsProven),
            provider(
                "own-userinfo", "userinfo takes tokens that programs have for themselves",
                .describesPrograms
            )
            .breaking(.audienceIsKept),
            undeleted(.clientGrant), undeleted(.consent), answeredAgain,
            unmade(.consent), unmade(.authorizationCode), unmade(.clientGrant),
        ].map { $0.about(.provider) }

    private static var answeredAgain: Mutation {
        var mutation = store("answered-again", "a request of a client can be answered again") {
            $0.unconditional = [.waitingRequest]
        }
        mutation.provider = .answersAgain
        return mutation
    }

    private static func provider(
        _ name: String, _ what: String, _ flaw: ProviderFlaws.Flaw
    ) -> Mutation { other(name, what) { $0.provider = flaw } }
}
