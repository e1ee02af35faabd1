import AuthDomain
import AuthRecords
import HTTP
import JSON
import KeyValueStore
import TestSupport
import Testing
import Time

// Events that are sent to a receiver: after a reply, then by housekeeping.
extension InterruptedFlow {
    static let webhooks = [sentAfterReply, sentByHousekeeping]

    private static let sentAfterReply = InterruptedFlow(
        name: "a sign-out whose event is sent", hasWebhooks: true, changesMin: 5
    ) { person in
        let deployment = person.deployment
        let session = try SignedIn(
            deployment.run("signin", deployment.apple.signIn(person.email, withCode: false)))
        let signOut = deployment.command(
            "signout", ["refreshToken": .string(session.refreshToken)])
        return Interruption(request: signOut) { hasReplied in
            let me = try deployment.run("me", bearer: session.accessToken)
            #expect(me.status == 401 || (me.status == 200 && !hasReplied), person.place)
            try deployment.sendEvents()
            expectEqual(
                deployment.receiver.types(of: session.user.text),
                ["accountCreated"] + (me.status == 401 ? ["signedOut"] : []), person.place)
        }
    }

    /// The receiver was down when the events were sent first.
    private static let sentByHousekeeping = InterruptedFlow(
        name: "events sent by housekeeping", hasWebhooks: true, changesMin: 6
    ) { person in
        let deployment = person.deployment
        deployment.receiver.setDown(true)
        let session = try SignedIn(
            deployment.run("signin", deployment.apple.signIn(person.email, withCode: false)))
        _ = try deployment.run("signout", ["refreshToken": .string(session.refreshToken)])
        #expect(deployment.receiver.types(of: session.user.text).isEmpty, person.place)
        deployment.receiver.setDown(false)
        try deployment.endEventLeases()
        return Interruption(request: deployment.housekeeping) { _ in
            try deployment.sendEvents()
            expectEqual(
                deployment.receiver.types(of: session.user.text), ["accountCreated", "signedOut"],
                person.place)
        }
    }
}

extension InterruptibleDeployment {
    /// As time would, lets the events that wait be sent by the next run of housekeeping, and runs it.
    fileprivate func sendEvents() throws {
        try endEventLeases()
        let result = try ChildProcess.run(housekeeping)
        try #require(result.end == .exit(0), "\(result.text)\n\(result.errorText)")
        #expect(try dueEvents().isEmpty)
    }

    fileprivate func endEventLeases() throws {
        let store = try functions.store()
        let now = WallClock.system.now()
        for row in try dueEvents() {
            let (state, _) = try WebhookQueue.events(
                in: store.query(row.queue.query(limit: 100)).items)
            let waits = state.map {
                WebhookState(until: now, failures: $0.failures, version: [1]).replacing(
                    $0, of: row.queue)
            }
            try store.write(row.moved(to: now).writes + [waits].compactMap(\.self))
        }
    }

    private func dueEvents() throws -> [DueWebhooks] {
        let store = try functions.store()
        return try (0..<DueWebhooks.shards).flatMap { shard in
            try store.query(DueWebhooks.query(shard: shard, limit: 100)).items
                .map(DueWebhooks.init)
        }
    }
}
