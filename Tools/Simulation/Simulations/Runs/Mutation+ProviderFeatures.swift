import AuthDomain
import Time

extension Mutation {
    /// Bugs in features that only some runs with the provider have.
    static let ofProviderFeatures: [Mutation] =
        keys + documents + hooks + ends + endsOfGrants

    private static let keys = [
        provider(
            "bound-as-bearer", "a bound token is accepted without its key",
            .takesBoundAsBearer),
        provider("any-key", "a refresh token is accepted with any key", .takesAnyKey),
        provider(
            "unbound-refresh", "refresh tokens of public clients are not bound to their key",
            .bindsNoRefreshToken),
        provider("proof-again", "a proof of a key is accepted twice", .takesProofsAgain),
        provider(
            "ignored-proofs", "tokens are not bound to the key that is proven", .ignoresProofs),
        provider(
            "code-without-key", "a code is exchanged without the key that it needs",
            .forgetsKeyOfCode),
        provider("hidden-keys", "introspection does not return the key of a token", .hidesKeys),
        provider(
            "resource-without-key", "a resource server does not require a bound token's key",
            .resourceServerIgnoresKeys),
    ].map { $0.about(.boundTokens).breaking(.keyIsProven) }

    private static let documents =
        [
            provider(
                "B28-code-of-former-document",
                "a code is exchanged according to the present document", .takesChangedDocument),
            provider(
                "B28-page-of-other-document",
                "the page shows the present document for an earlier request",
                .showsChangedDocument),
            provider(
                "B49-document-read-once", "a document is never read again", .readsDocumentsOnce),
            provider(
                "B50-any-host", "clients of hosts that are not listed are accepted", .takesAnyHost),
        ].map { $0.about(.clientDocuments).breaking(.descriptionIsKept) } + [
            unmade(.clientDocument).about(.clientDocuments).breaking(.allGetIn)
        ]

    private static let hooks = [
        hook("hook-refusal-of-client", "a client that a hook refuses gets access", .letsProgramsIn),
        hook(
            "hook-consent-forgotten", "the user is not asked, although the hook demands it",
            .forgetsConsent),
        hook(
            "hook-step-up-forgotten", "no new proof is required although the hook demands it",
            .forgetsStepUp),
        hook(
            "hook-not-asked-about-clients", "the hook is not asked about clients",
            .doesNotAskAboutPrograms),
        provider(
            "B22-hook-after-sign-in", "the hook is not asked about a person who has just signed in",
            .agreesAfterSignIn),
    ].map { $0.about(.authorizeHook).breaking(.hookAgrees) }

    private static let ends =
        [
            provider("B29-closed-client", "a client is not read again", .remembersPrograms),
            provider("disabled-client", "the disabling of clients is ignored", .ignoresDisabling),
            undeleted(.client),
            policy("B46-kept-for-ever", "clients that have registered themselves are not forgotten")
            {
                $0.oauth?.registrationLifetime = .days(3650)
            },
        ].map { $0.about(.programsEnd).breaking(.programStaysEnded) } + [
            policy("B46-forgotten-in-use", "a client in use is forgotten") {
                $0.oauth?.registrationLifetime = .hours(1)
            }
            .about(.programsEnd).breaking(.accessIsKept)
        ]

    /// Bugs in ending all grants of a client, or its former secrets.
    private static let endsOfGrants =
        [
            provider(
                "ended-refresh", "a refresh token works after the end of all grants",
                .refreshesEnded),
            provider("ended-code", "a code works after the end of all grants", .takesEndedCode),
            provider(
                "ended-introspection",
                "introspection reports tokens as active after the end of all grants",
                .inspectsEnded),
            provider(
                "ended-own", "a program's own token survives the end of all grants",
                .inspectsEndedOwn),
        ].map { $0.about(.programsEnd).breaking(.grantStaysEnded) } + [
            provider(
                "ended-device", "a device's code works after the end of all grants",
                .takesEndedDevice
            )
            .about(.programsEnd, .devices).breaking(.deviceIsAllowed),
            provider(
                "former-secret", "a former secret works after its end", .remembersFormerSecrets
            )
            .about(.programsEnd).breaking(.clientIsProven),
        ]

    private static func provider(
        _ name: String, _ what: String, _ flaw: ProviderFlaws.Flaw
    ) -> Mutation { other(name, what) { $0.provider = flaw } }

    private static func hook(
        _ name: String, _ what: String, _ flaw: AppHooks.Flaw
    ) -> Mutation { other(name, what) { $0.hooks = flaw } }
}
