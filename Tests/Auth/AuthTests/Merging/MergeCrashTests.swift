/// The process is killed between any two steps of housekeeping: the next run completes a merge.
@Suite("Merging and crashes") struct MergeCrashTests {
    typealias Death = StepKiller.Death

    private func checkEnd(_ scene: MergeScene, _ step: String) throws {
        #expect(scene.isMoved, "\(step)")
        for _ in 0..<3 {
            scene.clock.advance(by: .minutes(65))
            try scene.kit.finishMerges()
        }
        #expect(scene.isMoved, "\(step)")
        #expect(scene.kit.erasure.objectNames(of: scene.guest.user.id).isEmpty, "\(step)")
        #expect(try scene.kit.mergeJobs().isEmpty, "\(step)")
        let audit = try scene.kit.audit(of: scene.owner.user.id)
        expectEqual(audit.count { $0 == "accountMerged" }, 1, "\(step)")
        scene.clock.advance(by: .days(30))
        try scene.kit.finishMerges()
        try expectEqual(scene.kit.user(scene.guest.user.id), nil, "\(step)")
        try expectEqual(scene.kit.audit(of: scene.guest.user.id).count { $0 == "accountErased" }, 1)
    }

    @Test(arguments: Death.allCases)
    func `nothing is lost if housekeeping is killed between any two steps`(death: Death) throws {
        for isFirst in [true, false] {
            var step = 1
            while true {
                let scene = try MergeScene()
                scene.fill()
                _ = try scene.merge(try scene.offer())
                if !isFirst { scene.kit.finishReply() }
                scene.clock.advance(by: isFirst ? DeletionSchedule.lease : .minutes(65))
                let killer = StepKiller(atStep: step, death)
                killer.install(scene.store, scene.kit.erasure)
                _ = try? scene.kit.finishMerges()
                StepKiller.remove(scene.store, scene.kit.erasure)
                for _ in 0..<2 {
                    scene.clock.advance(by: .minutes(65))
                    try scene.kit.finishMerges()
                }
                try checkEnd(scene, "housekeeping step \(step), \(death)")
                guard killer.hasKilled else { break }
                step += 1
            }
            #expect(step > 8)
        }
    }
}
