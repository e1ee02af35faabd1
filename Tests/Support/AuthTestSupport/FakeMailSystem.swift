package import AuthDomain
package import AuthOperations
internal import Synchronization
internal import Time

/// A mail system that keeps messages, or fails on request.
package final class FakeMailSystem: Sendable {
    private struct State: Sendable {
        var mails: [Mail] = []
        var ids: [String] = []
        var failure: MailFailure?
        var outcomes: [MailOutcome] = []
    }

    private let state = Mutex(State())

    private let whileSending: @Sendable () -> Void

    package init(whileSending: @escaping @Sendable () -> Void = {}) {
        self.whileSending = whileSending
    }

    /// The mails that were sent, in order.
    package var mails: [Mail] { state.withLock { $0.mails } }
    package var ids: [String] { state.withLock { $0.ids } }
    /// The outcomes that were reported.
    package var outcomes: [MailOutcome] { state.withLock { $0.outcomes } }

    /// Pass nil to make it work again.
    package func fail(_ failure: MailFailure?) { state.withLock { $0.failure = failure } }

    package func report(_ outcome: MailOutcome) { state.withLock { $0.outcomes.append(outcome) } }

    package var sender: MailSender {
        MailSender(test: { to, _, _ in
            MailTest(
                isSent: false, system: "smtp.example.com:587", answer: "550 <\(to.text)> is unknown"
            )
        }) { mail, id, _ throws(MailFailure) in
            self.whileSending()
            let failure = self.state.withLock { state in
                guard state.failure == nil else { return state.failure }
                state.mails.append(mail)
                state.ids.append(id)
                return nil
            }
            if let failure { throw failure }
        }
    }
}
