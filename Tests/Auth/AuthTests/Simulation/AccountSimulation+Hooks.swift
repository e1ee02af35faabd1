import AuthDomain
import AuthOperations
import AuthRecords
import Testing

extension AccountSimulation {
    private static let signIns: Set<String> = [
        AuditEvent.signedIn.rawValue, AuditEvent.accountCreated.rawValue,
        AuditEvent.accountMerged.rawValue,
    ]

    /// Nobody has signed in more often than the application approved.
    func checkHooks() throws {
        for user in Set(held.map(\.user)) {
            let signIns = try kit.auditItems(of: user).map { try AuditRecord($0).entry }
                .count { $0.session != nil && Self.signIns.contains($0.event) }
            #expect(
                signIns <= hooks.approvals(of: user),
                "a sign-in without the hook's approval, seed \(seed)")
        }
    }
}
