import AuthDomain
import Time

/// The limit of the contract and the beginning of the run, for the observer of the mail budget.
struct MailBudgetFacts {
    let perRecipient: Int64?
    let startedAt: Instant
}

/// Requests of other people do not cause more mails to an address than the budget allows.
struct MailWithinBudget: Observer {
    let invariant = Invariant.mailWithinBudget
    private let budget: MailBudgetFacts
    /// The secrets that were mailed to each address, because a mail may be sent again.
    private var mailed: [String: Set<String>] = [:]
    /// The mails that other people can trigger. All other mails are notices to owners.
    private static let counted: Set<Mail.Kind> = [
        .verifyEmail, .alreadyRegistered, .signInMethods, .resetPassword, .magicLink,
    ]

    init(_ budget: MailBudgetFacts) { self.budget = budget }

    mutating func judge(_ letter: MailFacts.Letter, _ facts: Facts) -> String? {
        guard let limit = budget.perRecipient, Self.counted.contains(letter.kind) else {
            return nil
        }
        mailed[letter.to, default: []].insert(letter.token)
        let days = facts.now.seconds / 86_400 - budget.startedAt.seconds / 86_400 + 1
        let count = mailed[letter.to]?.count ?? 0
        return Int64(count) > limit * days ? "\(count) mails to one address in \(days) days" : nil
    }
}
