@Suite("Moving the data of a merged account") struct MoveAccountTests {
    @Test func `everything is moved after the reply, and again after the last credentials expire`()
        throws
    {
        let scene = try MergeScene()
        scene.fill()
        let (kit, guest, owner) = (scene.kit, scene.guest.user.id, scene.owner.user.id)
        _ = try scene.merge(try scene.offer())
        #expect(!scene.isMoved)
        kit.finishReply()
        #expect(scene.isMoved)
        try expectEqual(kit.finishMerges()["done"], 0)

        // Another client of the guest still has credentials.
        kit.erasure.addObject("late", of: guest)
        kit.erasure.addEntry("late", of: guest)
        scene.clock.advance(by: .minutes(64))
        try expectEqual(kit.finishMerges()["done"], 0)
        scene.clock.advance(by: .minutes(1))
        try expectEqual(kit.finishMerges()["done"], 1)
        #expect(kit.erasure.objectNames(of: owner).contains("late"))
        expectEqual(kit.erasure.entries(of: owner), ["late", "note"])
        #expect(kit.erasure.objectNames(of: guest).isEmpty)
        expectEqual(kit.erasure.merges.map(\.isLast), [false, true])
        expectEqual(Set(kit.erasure.merges.map(\.eventID)).count, 2)
        expectEqual(kit.erasure.reports, [.moved(guest), .erased(guest)])
        #expect(try kit.mergeJobs().isEmpty)

        scene.clock.advance(by: .days(30))
        try kit.finishMerges()
        try expectEqual(kit.user(guest), nil)
        expectEqual(kit.erasure.objectNames(of: owner).count, 7)
    }

    @Test func `a failed part is repeated, and does not stop the other part`() throws {
        let scene = try MergeScene()
        scene.fill()
        let kit = scene.kit
        kit.erasure.failApplication(.unavailable)
        _ = try scene.merge(try scene.offer())
        kit.finishReply()
        expectEqual(kit.erasure.objectNames(of: scene.owner.user.id).count, 6)
        expectEqual(kit.erasure.entries(of: scene.guest.user.id), ["note"])
        kit.erasure.failObjects(.refused)
        kit.erasure.failApplication(nil)
        scene.clock.advance(by: .minutes(1))
        try expectEqual(kit.finishMerges()["done"], 1)
        #expect(scene.isMoved)
        // Nothing is erased before everything is moved.
        for _ in 0..<20 {
            scene.clock.advance(by: .days(2))
            try kit.finishMerges()
        }
        expectEqual(kit.erasure.objectNames(of: scene.guest.user.id).count, 5)
        #expect(try kit.user(scene.guest.user.id) != nil)
        kit.erasure.failObjects(nil)
        scene.clock.advance(by: .days(1))
        try expectEqual(kit.finishMerges()["done"], 1)
        #expect(kit.erasure.objectNames(of: scene.guest.user.id).isEmpty)
        #expect(scene.isMoved)
    }

    @Test func `a run without enough time continues later where it stopped`() throws {
        let scene = try MergeScene()
        scene.fill()
        _ = try scene.merge(try scene.offer())
        let clock = scene.clock
        // Each page takes half the time of a run.
        scene.kit.erasure.beforeCalls { () throws(ErasureFailure) in
            clock.advance(by: .seconds(11))
        }
        scene.kit.finishReply()
        let job = try #require(try scene.kit.mergeJobs().first)
        #expect(job.isApplicationDone && !job.areObjectsDone && job.position == "photo2")
        #expect(job.due <= clock.now && job.attempts == 0)
        try expectEqual(scene.kit.finishMerges()["done"], 1)
        #expect(scene.isMoved)
    }

    @Test func `moved data is erased if the remaining account is deleted`() throws {
        let scene = try MergeScene()
        scene.fill()
        let kit = scene.kit
        let tokens = try scene.merge(try scene.offer())
        let caller = kit.caller(tokens)
        try kit.auth.deleteAccount(try kit.auth.authenticate(caller, for: .deleteAccount), caller)
        kit.finishReply()
        for _ in 0..<3 {
            scene.clock.advance(by: .minutes(65))
            try kit.finishMerges()
        }
        #expect(kit.erasure.objectNames(of: scene.owner.user.id).isEmpty)
        #expect(kit.erasure.objectNames(of: scene.guest.user.id).isEmpty)
        #expect(kit.erasure.merges.isEmpty)
    }

    @Test func `a move continues into a third account if the remaining one was merged into it`()
        throws
    {
        let scene = try MergeScene()
        scene.fill()
        let kit = scene.kit
        let third = try kit.signIn("apple", "001", "").user
        _ = try scene.merge(try scene.offer())
        try kit.change(scene.owner.user.id) { $0 = $0.merged(into: third.id, at: scene.clock.now) }
        kit.finishReply()
        scene.clock.advance(by: DeletionSchedule.lease)
        for _ in 0..<2 { try kit.finishMerges() }
        expectEqual(kit.erasure.objectNames(of: third.id).count, 5)
        expectEqual(kit.erasure.entries(of: third.id), ["note"])
    }

    @Test func `an account that an operator restored keeps its data`() throws {
        let scene = try MergeScene()
        scene.fill()
        _ = try scene.merge(try scene.offer())
        try scene.kit.change(scene.guest.user.id) {
            $0.deletedAt = nil
            $0.mergedInto = nil
        }
        scene.kit.finishReply()
        scene.clock.advance(by: .minutes(65))
        try scene.kit.finishMerges()
        expectEqual(scene.kit.erasure.objectNames(of: scene.guest.user.id).count, 5)
        #expect(try scene.kit.mergeJobs().isEmpty)
    }

    @Test func `without storage, only housekeeping finishes a move`() throws {
        let erasure = FakeErasure(hasStorage: false, hasApplication: false)
        let scene = try MergeScene(erasure: erasure)
        _ = try scene.merge(try scene.offer())
        scene.kit.finishReply()
        let job = try #require(try scene.kit.mergeJobs().first)
        #expect(!job.areObjectsDone && !job.isApplicationDone)
        try expectEqual(scene.kit.finishMerges()["done"], 1)
        #expect(try scene.kit.mergeJobs().isEmpty)
        expectEqual(erasure.reports.first, .moved(scene.guest.user.id))
    }

    @Test func `two concurrent runs move the data once`() throws {
        let scene = try MergeScene()
        scene.fill()
        _ = try scene.merge(try scene.offer())
        scene.clock.advance(by: .minutes(5))
        scene.store.beforeNextWrite { try scene.kit.finishMerges() }
        try expectEqual(scene.kit.finishMerges()["claimedElsewhere"], 1)
        expectEqual(scene.kit.erasure.merges.count, 1)
        #expect(scene.isMoved)
    }
}
