/// How many mails are sent to people who may not have asked for them. Subscription bombing fills a
/// mailbox with confirmations of many services, with requests from many addresses.
///
/// Mail over the budget is not sent, and the answer is the same. The budget does not apply to
/// notices of changes to an account, which an attacker could otherwise suppress.
package struct MailBudget: Equatable, Sendable {
    package enum Limit: String, CaseIterable, Sendable {
        /// Mails to addresses without an account, in an hour.
        case hour
        /// Mails to addresses without an account, in a day.
        case day
        /// Mails to one address in a day, with or without an account.
        case recipient
    }

    /// nil: no limit.
    package var perHour: Int64?
    package var perDay: Int64?
    package var perRecipient: Int64?

    package init(perHour: Int64? = 1000, perDay: Int64? = 10_000, perRecipient: Int64? = 20) {
        self.perHour = perHour
        self.perDay = perDay
        self.perRecipient = perRecipient
    }

    package subscript(_ limit: Limit) -> Int64? {
        get {
            switch limit {
            case .hour: perHour
            case .day: perDay
            case .recipient: perRecipient
            }
        }
        set {
            switch limit {
            case .hour: perHour = newValue
            case .day: perDay = newValue
            case .recipient: perRecipient = newValue
            }
        }
    }
}
