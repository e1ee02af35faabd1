import AuthTestSupport
import TestSupport

/// The process is killed between any two steps of a deletion: the next run completes it.
@Suite("Deletion and crashes") struct DeletionCrashTests {
    typealias Death = StepKiller.Death

    /// - Returns: false if there were fewer steps.
    private func survives(_ step: Int, _ death: Death) throws -> Bool {
        let deletion = try DeletionKit()
        let tokens = try deletion.fullAccount()
        let principal = try deletion.principal(tokens)
        let killer = StepKiller(atStep: step, death)
        killer.install(deletion.store, deletion.kit.erasure)
        let isDeleted = (try? deletion.kit.auth.deleteAccount(principal, Caller())) != nil
        if isDeleted { deletion.kit.finishReply() }
        let wasKilled = killer.hasKilled
        // The process is gone, and with it the work it had deferred.
        StepKiller.remove(deletion.store, deletion.kit.erasure)
        if step == 1, death == .before {
            try expectEqual(deletion.kit.user(tokens.user.id)?.deletedAt, nil)
            return true
        }
        #expect(try deletion.kit.user(tokens.user.id)?.deletedAt != nil)
        // From the transaction on, the account cannot be used, whatever else happened.
        expectError(.accessToken(.sessionEnded)) { try deletion.principal(tokens) }
        deletion.clock.advance(by: DeletionSchedule.lease)
        try deletion.housekeep()
        try expectEqual(deletion.rows(of: tokens.user).count, 2, "step \(step), \(death)")
        expectEqual(deletion.kit.erasure.objects(of: tokens.user.id), 0)
        #expect(deletion.kit.erasure.entries(of: tokens.user.id).isEmpty)
        expectEqual(Set(deletion.kit.erasure.revoked), ["apple token"])
        // Exactly one message was mailed, even if the process was killed.
        try mailed(deletion)
        try afterwards(deletion, tokens.user)
        return wasKilled
    }

    private func mailed(_ deletion: DeletionKit) throws {
        deletion.clock.advance(by: .minutes(1))
        _ = try deletion.kit.auth.housekeeping([.sendDueMail], until: nil)
        let mails = deletion.kit.mail.mails.filter { $0.kind == .accountDeleted }
        expectEqual(Set(mails.map(\.to)), ["001@example.com"])
    }

    private func afterwards(_ deletion: DeletionKit, _ user: User) throws {
        deletion.clock.advance(by: .minutes(65))
        try deletion.housekeep()
        deletion.clock.advance(by: .days(31))
        try deletion.housekeep()
        #expect(try deletion.rows(of: user).isEmpty)
        let audit = try deletion.kit.audit(of: user.id)
        expectEqual(audit.count { $0 == "accountDeleted" }, 1)
        expectEqual(audit.count { $0 == "accountErased" }, 1)
    }

    @Test(arguments: Death.allCases)
    func `nothing is lost if the request is killed between any two steps`(death: Death) throws {
        var step = 1
        while try survives(step, death) { step += 1 }
        // The transaction, the token and its row, the rows, the registration, the objects, the job,
        // the mail's row.
        #expect(step > 7)
    }

    /// The same for the runs of housekeeping, including the second and the last one.
    @Test(arguments: Death.allCases)
    func `nothing is lost if housekeeping is killed between any two steps`(death: Death) throws {
        for (wait, phase) in [
            (DeletionSchedule.lease, "first"), (.minutes(65), "second"), (.days(30), "last"),
        ] {
            var step = 1
            while true {
                let deletion = try DeletionKit()
                let tokens = try deletion.fullAccount()
                try deletion.delete(tokens)
                if phase != "first" { deletion.kit.finishReply() }
                if phase == "last" {
                    deletion.clock.advance(by: .minutes(65))
                    try deletion.housekeep()
                }
                deletion.clock.advance(by: wait)
                let killer = StepKiller(atStep: step, death)
                killer.install(deletion.store, deletion.kit.erasure)
                _ = try? deletion.housekeep()
                let wasKilled = killer.hasKilled
                StepKiller.remove(deletion.store, deletion.kit.erasure)
                for _ in 0..<3 {
                    deletion.clock.advance(by: .days(31))
                    try deletion.housekeep()
                }
                #expect(try deletion.rows(of: tokens.user).isEmpty, "\(phase) step \(step)")
                expectEqual(deletion.kit.erasure.objects(of: tokens.user.id), 0)
                #expect(deletion.kit.erasure.erased.contains { $0.isLast }, "\(phase) step \(step)")
                expectEqual(Set(deletion.kit.erasure.revoked), ["apple token"])
                let audit = try deletion.kit.audit(of: tokens.user.id)
                #expect(audit.count { $0 == "accountErased" } <= 1)
                #expect(!audit.contains("providerTokenNotRevoked"))
                guard wasKilled else { break }
                step += 1
            }
            #expect(step > (phase == "first" ? 6 : 2), "\(phase)")
        }
    }
}
