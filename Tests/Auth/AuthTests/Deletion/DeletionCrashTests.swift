/// The process is killed between any two steps of housekeeping: the next run completes a deletion.
@Suite("Deletion and crashes") struct DeletionCrashTests {
    typealias Death = StepKiller.Death

    /// Including the second and the last run.
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
