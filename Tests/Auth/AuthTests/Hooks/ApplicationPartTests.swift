/// The hooks `merge` and `erase`, called by the jobs of merges and deletions.
@Suite("Hooks of ended accounts") struct ApplicationPartTests {
    private let hooks = FakeHooks()
    private let clock = TestClock()
    private let erasure: FakeErasure

    init() {
        erasure = FakeErasure(asking: (hooks.services([.merge, .erase]), clock.wall))
        hooks.answer(.merge, #"{"done":true}"#)
        hooks.answer(.erase, #"{"done":true}"#)
    }

    private func scene() throws -> MergeScene {
        let scene = try MergeScene(erasure: erasure, clock: clock)
        scene.fill()
        _ = try scene.merge(try scene.offer())
        return scene
    }

    @Test func `hooks get both accounts of a merge, and whether it is the last call`()
        throws
    {
        let scene = try scene()
        scene.kit.finishReply()
        clock.advance(by: .minutes(65))
        try scene.kit.finishMerges()
        expectEqual(hooks.told.map(\.kind), [.merge, .merge, .erase])
        let (guest, owner) = (scene.guest.user.id.text, scene.owner.user.id.text)
        for event in hooks.told.map(\.event) {
            expectEqual(event["user"], ["id": .string(guest)])
            expectEqual(event["into"], ["id": .string(owner)])
            expectEqual(
                event.objectValue?.members.map(\.name),
                ["hook", "id", "time", "user", "isLast", "into"])
        }
        expectEqual(hooks.told.map { $0.event["isLast"] }, [false, true, true])
        expectEqual(Set(hooks.told.compactMap { $0.event["id"]?.stringValue }).count, 3)
    }

    @Test(arguments: [
        "", "null", "{}", #"{"done":false}"#, #"{"done":"true"}"#, #"{"done":1}"#,
        #"{"done":true,"more":1}"#, #"{"decision":"allow"}"#, #"{"done":true}x"#,
    ])
    func `a call without a confirmation is retried, with the same id`(_ answer: String) throws {
        hooks.answer(.merge, answer)
        let scene = try scene()
        scene.kit.finishReply()
        for _ in 0..<12 {
            clock.advance(by: .days(1))
            try expectEqual(scene.kit.finishMerges()["failed"], 1)
        }
        expectEqual(hooks.told.count, 13)
        expectEqual(Set(hooks.told.compactMap { $0.event["id"]?.stringValue }).count, 1)
        #expect(
            hooks.failures.allSatisfy {
                !$0.continues && $0.1 == (answer == #"{"done":false}"# ? .notDone : .malformed)
            })
        // Nothing is erased before everything is moved.
        #expect(try scene.kit.user(scene.guest.user.id) != nil)
        #expect(hooks.told(.erase).isEmpty)
        hooks.answer(.merge, #"{"done":true}"#)
        for _ in 0..<3 {
            clock.advance(by: .days(1))
            try scene.kit.finishMerges()
        }
        #expect(!hooks.told(.erase).isEmpty)
    }

    @Test func `a hanging hook is called at most once in half a minute for all accounts`() throws {
        hooks.answer(.erase, .failure(.timedOut))
        let kit = try AuthKit(policy: .merging(), clock: clock, erasure: erasure)
        for _ in 0..<3 {
            let tokens = try kit.guest()
            try kit.delete(tokens)
        }
        kit.finishReply()
        expectEqual(hooks.told.count, 1)
        expectEqual(erasure.reports.count, 3)
        clock.advance(by: .minutes(2))
        _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        expectEqual(hooks.told.count, 2)
        hooks.answer(.erase, #"{"done":true}"#)
        clock.advance(by: .minutes(10))
        _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        expectEqual(Set(hooks.told.compactMap { $0.event["user"]?["id"]?.stringValue }).count, 3)
    }
}
