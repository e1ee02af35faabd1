import AuthDomain
import Time

extension Mutation {
    /// Bugs in features that only some runs have.
    static let ofFeatures: [Mutation] =
        [
            answer("undo-does-nothing", "an undo is acknowledged, but not made", .undoesNothing),
            store("undo-keeps-address", "an undo does not restore the address") {
                $0.keepsAddresses = true
            },
            undeleted(.emailClaim), undeleted(.signInCode),
        ].map { $0.about(.accountChanges) }
        + [
            policy("no-mail-budget", "mails are not counted") { $0.mailBudget = nil }
                .about(.mailBudget),
            policy("short-guests", "guests end after a quarter of an hour") {
                $0.guests?.lifetime = .minutes(15)
            }
            .about(.shortGuests),
        ]
        + [
            hook(
                "hook-refusals-ignored", "a user whom a hook refuses is signed in",
                .ignoresRefusals),
            hook("hook-failures-ignored", "a hook that fails is skipped", .ignoresFailures),
            hook("hook-not-asked", "the hook is not asked before sign-ins", .doesNotAsk),
            hook(
                "hook-claims-mixed-up", "a token has the claims for another user",
                .mixesClaimsUp),
        ]
        + [
            events(
                "webhook-refused-is-sent",
                "an event that the receiver refuses counts as sent", .forgetsRefused),
            events("webhook-out-of-order", "an event is sent after the next one", .reorders),
            events(
                "webhook-unsigned", "events are signed with another key", .signsWithAnotherKey),
            events("webhook-invented", "an event is sent that is not logged", .inventsEvents),
            unmade(.webhook).about(.webhooks),
        ]

    private static func hook(
        _ name: String, _ what: String, _ flaw: AppHooks.Flaw
    ) -> Mutation { other(name, what) { $0.hooks = flaw }.about(.hooks) }

    private static func events(
        _ name: String, _ what: String, _ flaw: EventReceiver.Flaw
    ) -> Mutation { other(name, what) { $0.events = flaw }.about(.webhooks) }
}
