import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import TestSupport
import Testing
import Time

/// What the application keeps by user, when the account is deleted.
@Suite("Erasing the application's part") struct ErasedApplicationPartTests {
    private func deleted(_ world: DeletionKit) throws -> UserID {
        let tokens = try world.fullAccount()
        try world.delete(tokens)
        return tokens.user.id
    }

    @Test func `it is erased after the reply, and again when the last token has expired`() throws {
        let world = try DeletionKit()
        let (erasure, user) = (world.kit.erasure, try deleted(world))
        world.kit.finishReply()
        #expect(erasure.entries(of: user).isEmpty)
        erasure.addEntry("late", of: user)
        world.clock.advance(by: .minutes(65))
        try world.housekeep()
        #expect(erasure.entries(of: user).isEmpty)
        for _ in 0..<3 {
            world.clock.advance(by: .days(31))
            try world.housekeep()
        }
        expectEqual(
            erasure.erased,
            [
                EndedAccount(user: user, mergedInto: nil, isLast: false),
                EndedAccount(user: user, mergedInto: nil, isLast: true),
            ])
        try expectEqual(world.kit.user(user), nil)
    }

    @Test func `the account's row waits for the application, however long, and nothing else does`()
        throws
    {
        let world = try DeletionKit()
        let erasure = world.kit.erasure
        erasure.failApplication(.unavailable)
        let user = try deleted(world)
        world.kit.finishReply()
        #expect(erasure.objects(of: user) == 0 && erasure.revoked == ["apple token"])
        for _ in 0..<60 {
            world.clock.advance(by: .days(1))
            try expectEqual(world.housekeep()["failed"], 1)
        }
        expectEqual(erasure.reports.last, .failed(user, .application, .unavailable))
        #expect(try world.kit.user(user) != nil)
        expectEqual(erasure.entries(of: user), ["note"])
        erasure.failApplication(nil)
        world.clock.advance(by: .days(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(erasure.erased.map(\.isLast), [true])
        try expectEqual(world.kit.user(user), nil)
    }

    @Test func `other parts that fail later do not ask again after the last time`() throws {
        let world = try DeletionKit()
        let (erasure, user) = (world.kit.erasure, try deleted(world))
        world.kit.finishReply()
        erasure.failObjects(.unavailable)
        world.clock.advance(by: .minutes(65))
        try expectEqual(world.housekeep()["failed"], 1)
        for _ in 0..<3 {
            world.clock.advance(by: .days(1))
            try expectEqual(world.housekeep()["failed"], 1)
        }
        erasure.failObjects(nil)
        world.clock.advance(by: .days(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(erasure.erased.filter { $0.user == user }.map(\.isLast), [false, true])
    }

    @Test func `an account that an operator restored keeps it`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        try world.kit.change(user) { $0.deletedAt = nil }
        world.kit.finishReply()
        world.clock.advance(by: .minutes(65))
        try world.housekeep()
        #expect(world.kit.erasure.erased.isEmpty)
        expectEqual(world.kit.erasure.entries(of: user), ["note"])
    }

    @Test func `of a merged account it is erased after everything is moved, with the other's id`()
        throws
    {
        let scene = try MergeScene()
        scene.fill()
        let (erasure, guest, owner) =
            (scene.kit.erasure, scene.guest.user.id, scene.owner.user.id)
        _ = try scene.merge(try scene.offer())
        scene.kit.finishReply()
        #expect(erasure.erased.isEmpty)
        scene.clock.advance(by: .minutes(65))
        try scene.kit.finishMerges()
        expectEqual(erasure.erased, [EndedAccount(user: guest, mergedInto: owner, isLast: true)])
        expectEqual(erasure.entries(of: owner), ["note"])
    }
}
