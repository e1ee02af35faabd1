import AuthDomain
import AuthOperations
import AuthTestSupport
import Testing
import Time

extension AccountSimulation {
    /// Nobody got more mails of others' requests than the budget allows, whatever was asked at once.
    ///
    /// - Returns: how many mails were not sent.
    func checkMailBudget() -> Int {
        guard let limit = kit.auth.policy.mailBudget?.perRecipient else { return 0 }
        let days = kit.clock.now.seconds / 86_400 - startedAt.seconds / 86_400 + 1
        for address in people.flatMap(\.mailboxes) {
            let sent = kit.mail.mails.count {
                $0.to == address && Self.budgeted.contains($0.kind)
            }
            #expect(
                Int64(sent) <= limit * days,
                "\(sent) mails to \(address) in \(days) days, seed \(seed)")
        }
        return kit.mail.outcomes.count { if case .withheld = $0 { true } else { false } }
    }

    /// Mails that others can trigger; the rest are notices.
    private static let budgeted: Set<Mail.Kind> = [
        .verifyEmail, .alreadyRegistered, .resetPassword, .magicLink,
    ]
}
