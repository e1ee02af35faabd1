package import AuthDomain
package import Time

/// The port to the outside: makes a message of a mail and hands it to a mail system.
package struct MailSender: Sendable {
    /// - Parameters:
    ///   - id: of the message: the same one at each attempt, so that a mail system or a reader
    ///     can tell a repetition.
    ///   - limit: how long it may take.
    package typealias Send =
        @Sendable (_ mail: Mail, _ id: String, _ limit: Span) throws(MailFailure) -> Void

    package let send: Send

    package init(send: @escaping Send) { self.send = send }
}

package enum MailFailure: String, Error, CaseIterable, Sendable {
    /// The mail system is not reached, or cannot take messages now.
    case unavailable
    /// The mail system does not let us send: credentials, quota, an unverified sender.
    case refused
    /// The address does not exist or cannot be written to: trying again will not help.
    case addressRejected
    /// The template asks for a value that the mail does not have.
    case notRenderable
    /// The row of the outbox cannot be opened: another master key sealed it.
    case unreadable
}

/// What became of a message, for the log. Nothing in it says to whom it went or what it held.
package enum MailOutcome: Equatable, Sendable {
    case sent(Mail.Kind, attempt: Int64)
    /// It is tried again.
    case failed(Mail.Kind?, attempt: Int64, MailFailure)
    /// It is not tried again.
    case dropped(Mail.Kind?, MailDropReason)
}

package enum MailDropReason: String, CaseIterable, Sendable {
    /// Each of several attempts failed.
    case attemptsExhausted
    /// Its link or code has expired.
    case expired
    case addressRejected
    case notRenderable
    case unreadable
}
