import AuthDomain
import AuthOperations
import AuthRecords
import Bytes
import JSON
import Testing

extension AccountSimulation {
    private static let signIns: Set<String> = [
        AuditEvent.signedIn.rawValue, AuditEvent.accountCreated.rawValue,
        AuditEvent.accountMerged.rawValue,
    ]

    /// Nobody has signed in more often than the application approved, and each access token has the
    /// application's claim for its own user.
    func checkHooks() throws {
        for session in held {
            let part = try #require(session.access.split(separator: ".").dropFirst().first)
            let claims = try JSON.parse(#require(Base64URL.decode(part)), limits: .request)
            for name in ["sub", "member"] {
                let value = claims[name]?.stringValue
                try #require(value == session.user.text, "\(name) of a token, seed \(seed)")
            }
        }
        for user in Set(held.map(\.user)) {
            // A merge into a session that was there before is no sign-in.
            let signIns = Set(
                try kit.auditItems(of: user).map { try AuditRecord($0).entry }
                    .filter { Self.signIns.contains($0.event) }.compactMap(\.session))
            #expect(
                signIns.count <= hooks.approvals(of: user),
                "a sign-in without the hook's approval, seed \(seed)")
        }
    }
}
