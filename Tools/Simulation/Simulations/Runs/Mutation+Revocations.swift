import AuthDomain
import Time

extension Mutation {
    /// Bugs in the list of ended sessions.
    static let ofRevocations: [Mutation] = [
        unmade(.ended),
        list("list-shard", "two of the shards are not read", .losesShard),
        list("list-epochs", "raised epochs are not listed", .losesEpochs),
        list("list-clients", "disabled clients are not listed", .losesClients)
            .about(.revocations, .programsEnd),
        list(
            "list-grants", "the end of all grants of a client of the settings is not listed",
            .losesGrantEnds
        )
        .about(.revocations, .programsEnd),
        list("list-one-session", "of several ends at once, only one is listed", .listsOneSession),
        policy("list-window", "ends of two minutes ago are no longer listed") {
            $0.revocations?.leeway = -$0.accessTokens.lifetime
        },
        policy("list-memory", "a function answers with a list from five minutes ago") {
            $0.revocations?.memory = .minutes(5)
        },
        list("list-same-tag", "the answer is \"not modified\" even after an end", .keepsTag),
        list("list-incomplete", "a full list counts as complete", .takesIncomplete) {
            $0.revocations?.bytesMax = 100
        },
        list("list-expired", "cached lists are used after their exp", .ignoresExpiry),
        list("list-old", "the last list is used for a day", .ignoresAge),
        list(
            "list-late-since", "a server asks for ends since a time that is two minutes too late",
            .asksTooLate),
        list(
            "list-browser", "a grant's token is accepted after the end of the browser's session",
            .ignoresBrowser
        ).about(.revocations, .provider),
    ].map { mutation in
        (mutation.features.isEmpty ? mutation.about(.revocations) : mutation)
            .breaking(.endIsListed)
    }

    private static func list(
        _ name: String, _ what: String, _ flaw: ListServer.Flaw,
        _ change: @escaping @Sendable (inout Policy) -> Void = { _ in }
    ) -> Mutation {
        var mutation = policy(name, what, change)
        mutation.list = flaw
        return mutation
    }
}
