import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import JSON
import KeyValueStore
import Synchronization
import TestSupport
import Testing
import Time

/// A receiver of webhooks that often refuses, or answers late: other requests run in between.
final class SimulatedReceiver: Sendable {
    private struct State {
        var random: SplitMix64
        var isReliable = false
        var received: [String] = []
        var refusals = 0
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SplitMix64(seed: seed))) }

    /// From now on it takes everything.
    func turnReliable() { state.withLock { $0.isReliable = true } }

    var refusals: Int { state.withLock { $0.refusals } }

    /// The ids of the events, each at its first arrival.
    var received: [String] {
        var known: Set<String> = []
        return state.withLock(\.received).filter { known.insert($0).inserted }
    }

    var services: WebhookServices {
        WebhookServices(receivers: [.all], secrets: [FakeWebhookReceiver.secret]) {
            _, message, _ throws(WebhookFailure) in
            let (refuses, isLate) = self.state.withLock { state in
                state.isReliable
                    ? (false, false) : (state.random.happens(30), state.random.happens(30))
            }
            if isLate { Interleaving.pause() }
            self.state.withLock { state in
                if refuses { state.refusals += 1 } else { state.received.append(message.id) }
            }
            if refuses { throw .refused }
        } report: { _ in
        }
    }
}

extension AccountSimulation {
    /// Every event of an account was received, in the order of its audit log. One that was refused
    /// after the clock was moved by days is dead, and arrives when it is sent again.
    ///
    /// - Returns: how many events there were.
    func checkWebhooks() throws -> Int {
        guard let receiver else { return 0 }
        receiver.turnReliable()
        try sendWebhooks()
        let dead = try kit.auth.listDeadWebhooks(limit: 100, after: nil).webhooks
        let deadEvents = Set(dead.compactMap { $0.event?.id.text })
        let inOrder = receiver.received
        for webhook in dead {
            _ = try kit.auth.resendWebhook(webhook.id, by: .password, Caller())
        }
        try sendWebhooks()
        let received = Set(receiver.received)
        var count = 0
        for user in Set(held.map(\.user)).union(guests) {
            for chain in [AuditChain.account(user), .attempts(on: user)] {
                let events = try kit.auditItems(in: chain).map { try AuditRecord($0).entry }
                    .map(\.id.text)
                let known = Set(events).subtracting(deadEvents)
                expectEqual(
                    inOrder.filter { known.contains($0) }, events.filter { known.contains($0) },
                    "an event is lost or out of order, seed \(seed)")
                #expect(received.isSuperset(of: events), "an event is lost, seed \(seed)")
                count += events.count
            }
        }
        return count
    }

    private func sendWebhooks() throws {
        for _ in 0..<3 {
            kit.clock.advance(by: .days(1))
            _ = try kit.auth.housekeeping([.sendDueWebhooks], until: nil)
        }
    }
}
