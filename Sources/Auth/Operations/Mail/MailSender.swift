package import AuthDomain
package import Time

/// The interface to mail systems: renders a mail as a message and sends it.
package struct MailSender: Sendable {
    /// - Parameters:
    ///   - id: the ID of the message: the same at each attempt, so that repetitions can be
    ///     recognised.
    ///   - limit: how long sending may take.
    package typealias Send =
        @Sendable (_ mail: Mail, _ id: String, _ limit: Span) throws(MailFailure) -> Void

    /// Sends a message without a template once, for an administrator's test.
    package typealias Test = @Sendable (_ to: EmailAddress, _ id: String, _ limit: Span) -> MailTest

    package let send: Send
    /// nil if a hook sends the mail, which has its own templates.
    package let test: Test?

    package init(test: Test? = nil, send: @escaping Send) {
        self.send = send
        self.test = test
    }
}

/// The outcome of a test mail.
package struct MailTest: Equatable, Sendable {
    package let isSent: Bool
    /// The mail system, without its password.
    package let system: String
    /// The server's last reply, or why there was no reply.
    package let answer: String

    package init(isSent: Bool, system: String, answer: String) {
        self.isSent = isSent
        self.system = system
        self.answer = answer
    }
}

package enum MailFailure: String, Error, CaseIterable, Sendable {
    /// The mail system is unreachable, or cannot accept messages now.
    case unavailable
    /// The mail system refuses to send for us: credentials, quota, an unverified sender.
    case refused
    /// The address does not exist or cannot receive mail: trying again will not help.
    case addressRejected
    /// The template needs a value that the mail does not have.
    case notRenderable
    /// The outbox row cannot be decrypted: it was encrypted with a master key that is not
    /// configured.
    case unreadable
}

/// The outcome of a delivery, for the log. It contains neither the recipient nor the content.
package enum MailOutcome: Equatable, Sendable {
    case sent(Mail.Kind, attempt: Int64)
    /// The attempt failed, and is repeated later.
    case failed(Mail.Kind?, attempt: Int64, MailFailure)
    /// The message is not tried again.
    case dropped(Mail.Kind?, MailDropReason)
    /// The message is not sent, because it is over the mail budget.
    case withheld(Mail.Kind, MailBudget.Limit)
}

package enum MailDropReason: String, CaseIterable, Sendable {
    /// The maximum number of attempts failed.
    case attemptsExhausted
    /// The link or code in the message has expired.
    case expired
    case addressRejected
    case notRenderable
    case unreadable
}
