internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// How a request counts towards the mail budget. The request is counted at its first read, whether
/// or not a mail is sent in the end, so that the count is the same for every address.
package struct BudgetedMail: Sendable {
    /// The limits, and the identifier that is counted for each; nil counts towards no limit.
    fileprivate let counted: [(limit: MailBudget.Limit, identifier: String?)]

    /// Counts a mail to an address that may have no account.
    static func toAnyone(_ email: EmailAddress) -> BudgetedMail {
        BudgetedMail(counted: toStrangers(true).counted + toRecipient(email).counted)
    }

    static func toRecipient(_ email: EmailAddress) -> BudgetedMail {
        BudgetedMail(counted: [(.recipient, email.folded)])
    }

    /// - Parameter isStranger: if false, as many counters are written, but none has a limit.
    static func toStrangers(_ isStranger: Bool) -> BudgetedMail {
        let identifier = isStranger ? "" : nil
        return BudgetedMail(counted: [(.hour, identifier), (.day, identifier)])
    }
}

struct BudgetCounter {
    let limit: MailBudget.Limit
    let mailsMax: Int64
    let increment: CounterIncrement
}

extension MailBudget {
    func counters(_ mail: BudgetedMail, at now: Instant) -> [BudgetCounter] {
        mail.counted.compactMap { limit, identifier in
            guard let mailsMax = self[limit] else { return nil }
            let window = FixedWindow(of: limit == .hour ? .hours(1) : .days(1), at: now)
            let key = StoreLayout.rate(
                "mail.\(limit.rawValue)", identifier ?? "uncounted", window: window.number)
            return BudgetCounter(
                limit: limit, mailsMax: identifier == nil ? .max : mailsMax,
                increment: CounterIncrement(key, expiresAt: window.endsAt + .minutes(1)))
        }
    }
}

extension MailedChange {
    /// The change, without its mail if the mail is over the budget: the response, and the work for
    /// it, must not differ.
    func within(
        _ exceeded: MailBudget.Limit?, _ auth: AuthServices, at now: Instant
    ) throws(AuthError) -> MailedChange {
        guard let limit = exceeded else { return self }
        if let message { try auth.mail.report(.withheld(message.kind, limit)) }
        return withoutMail(auth, at: now)
    }

    func withoutMail(_ auth: AuthServices, at now: Instant) -> MailedChange {
        MailedChange(writes: auth.dummyRows(of: writes, at: now), requestSecret: requestSecret)
    }
}
