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
        list("list-one-session", "of sessions that end together, one is listed", .listsOneSession),
        policy("list-window", "what ended two minutes ago is not listed any more") {
            $0.revocations?.leeway = -$0.accessTokens.lifetime
        },
        policy("list-memory", "a function lists what it has read five minutes ago") {
            $0.revocations?.memory = .minutes(5)
        },
        list("list-same-tag", "\"not modified\" is answered whatever has ended", .keepsTag),
        list("list-incomplete", "a list without room is taken for complete", .takesIncomplete) {
            $0.revocations?.bytesMax = 100
        },
        list("list-expired", "a cache keeps lists, which are used after their exp", .ignoresExpiry),
        list("list-old", "the last list is used for a day", .ignoresAge),
        list(
            "list-late-since", "a server asks for what ended after its last list, and not before",
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
