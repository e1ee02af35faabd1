import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import KeyValueStore
import TestSupport
import Testing
import Time

/// Which data of a deleted account is erased, and when.
@Suite("Erase account") struct EraseAccountTests {
    private func deleted(_ world: DeletionKit) throws -> User {
        let tokens = try world.fullAccount()
        try world.delete(tokens)
        return tokens.user
    }

    @Test func `after the reply nothing is left but the tombstone and the job`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.kit.finishReply()
        try expectEqual(
            world.rows(of: user), ["DELETION 2023-11-14T23:18:20.000Z", "USER PROFILE"])
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
        expectEqual(world.kit.erasure.revoked, ["apple token"])
        try expectEqual(world.jobs().map(\.attempts), [0])
    }

    @Test func `objects that storage credentials wrote later are erased when those have expired`()
        throws
    {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.kit.finishReply()
        world.kit.erasure.setObjects(1, of: user.id)
        world.clock.advance(by: .minutes(65) - .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 0)
        world.clock.advance(by: .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
        expectEqual(world.kit.erasure.reports, [.erased(user.id)])
        try expectEqual(world.kit.audit(of: user.id).last, "accountErased")
    }

    @Test func `the tombstone is removed at the end of its retention`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.kit.finishReply()
        world.clock.advance(by: .minutes(65))
        try world.housekeep()
        world.clock.advance(by: .days(30) - .minutes(65) - .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 0)
        try expectEqual(world.rows(of: user).count, 2)
        world.clock.advance(by: .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 1)
        #expect(try world.rows(of: user).isEmpty)
        // The audit events remain.
        #expect(try world.kit.audit(of: user.id).contains("accountErased"))
        try expectEqual(world.housekeep()["done"], 0)
    }

    @Test func `a failing provider is asked again, with pauses, and stops nothing else`() throws {
        let world = try DeletionKit()
        world.kit.erasure.failRevoking(.unavailable)
        let user = try deleted(world)
        world.kit.finishReply()
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
        try expectEqual(
            world.rows(of: user),
            [
                "DELETION 2023-11-14T22:14:20.000Z",
                "SEALED \(Hex.encode(try AuthKit.masterKey().id))", "USER GRANT", "USER PROFILE",
            ])
        var pauses: [Span] = []
        for _ in 0..<9 {
            let due = try #require(try world.jobs().first).due
            pauses.append(due - world.clock.now)
            world.clock.advance(by: due - world.clock.now)
            try expectEqual(world.housekeep()["failed"], 1)
        }
        expectEqual(pauses, DeletionSchedule.pauses + [.days(1)])
        world.kit.erasure.failRevoking(nil)
        world.clock.advance(by: .days(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(world.kit.erasure.revoked, ["apple token"])
        try expectEqual(world.rows(of: user).count, 2)
    }

    @Test(arguments: [ErasureFailure.unavailable, .refused])
    func `a token that cannot be revoked goes with the tombstone, and the audit trail says so`(
        failure: ErasureFailure
    ) throws {
        let world = try DeletionKit()
        world.kit.erasure.failRevoking(failure)
        let user = try deleted(world)
        world.kit.finishReply()
        world.clock.advance(by: .days(30) - .milliseconds(1))
        try expectEqual(world.housekeep()["failed"], 1)
        #expect(try world.rows(of: user).contains("USER GRANT"))
        world.clock.advance(by: .days(1))
        try expectEqual(world.housekeep()["done"], 1)
        #expect(try world.rows(of: user).isEmpty)
        #expect(try world.kit.audit(of: user.id).contains("providerTokenNotRevoked"))
        #expect(world.kit.erasure.reports.contains(.providerTokenNotRevoked(user.id)))
    }

    @Test func `the tombstone waits for storage that fails, however long`() throws {
        let world = try DeletionKit()
        world.kit.erasure.failObjects(.refused)
        let user = try deleted(world)
        world.kit.finishReply()
        for _ in 0..<60 {
            world.clock.advance(by: .days(1))
            try expectEqual(world.housekeep()["failed"], 1)
        }
        expectEqual(world.kit.erasure.reports.last, .failed(user.id, .objects, .refused))
        try expectEqual(world.rows(of: user).count, 2)
        world.kit.erasure.failObjects(nil)
        world.clock.advance(by: .days(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `more objects than a run has time for are erased by several`() throws {
        let world = try DeletionKit()
        world.kit.erasure.limitObjects(perRun: 1)
        let user = try deleted(world)
        world.kit.finishReply()
        expectEqual(world.kit.erasure.objects(of: user.id), 2)
        try expectEqual(world.housekeep()["unfinished"], 1)
        expectEqual(world.kit.erasure.objects(of: user.id), 1)
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `an invocation without time leaves everything to housekeeping`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.kit.auth.afterReply.run(until: world.clock.now + .seconds(1))
        expectEqual(world.kit.erasure.objects(of: user.id), 3)
        world.clock.advance(by: DeletionSchedule.lease - .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 0)
        world.clock.advance(by: .milliseconds(1))
        try expectEqual(world.housekeep()["done"], 1)
        expectEqual(world.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `a request that was suspended past its lease erases nothing`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.clock.advance(by: DeletionSchedule.lease)
        world.kit.finishReply()
        expectEqual(world.kit.erasure.objects(of: user.id), 3)
    }

    @Test func `of two runs at the same time one erases each account`() throws {
        let world = try DeletionKit()
        _ = try deleted(world)
        world.clock.advance(by: DeletionSchedule.lease)
        let other = try AuthKit(
            policy: DeletionKit.policy, clock: world.clock, store: world.memory, seed: 2,
            erasure: world.kit.erasure)
        world.store.beforeNextWrite {
            _ = try other.auth.housekeeping([.finishDeletions], until: nil)
        }
        try expectEqual(world.housekeep()["claimedElsewhere"], 1)
        expectEqual(world.kit.erasure.revoked, ["apple token"])
    }

    @Test func `an account that an operator restored is not erased`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        try world.kit.change(user.id) { $0.deletedAt = nil }
        world.kit.finishReply()
        expectEqual(world.kit.erasure.objects(of: user.id), 3)
        #expect(try world.rows(of: user).contains("USER PASSWORD"))
        #expect(try world.jobs().isEmpty)
    }

    @Test func `a registration that began after the deletion stays`() throws {
        let world = try DeletionKit()
        let user = try deleted(world)
        world.clock.advance(by: .seconds(1))
        let email = try world.kit.email("001@example.com")
        _ = try world.kit.auth.register(
            Register.Input(email: email, password: AuthKit.password), Caller())
        world.kit.finishReply()
        try expectEqual(world.rows(of: user).count { $0.hasPrefix("REGISTRATION") }, 1)
    }

    @Test func `a partition of several pages and many refreshes is erased`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let partition = StoreLayout.profile(tokens.user.id).partition
        for number in 0..<1500 {
            try world.memory.write([
                .put(Item(ItemKey(partition, "DEVICE#\(number)"), [:]), when: [])
            ])
        }
        var token = tokens.refresh.reveal()
        var hashes: [[UInt8]] = []
        for _ in 0..<120 {
            world.clock.advance(by: .seconds(1))
            let next = try world.kit.refresh(token, Caller())
            token = next.refresh.reveal()
            if case .stored(let hash)? = try world.kit.auth.refreshTokens.read(token) {
                hashes.append(hash)
            }
        }
        expectEqual(hashes.count, 120)
        try world.delete(tokens)
        world.kit.finishReply()
        try expectEqual(world.rows(of: tokens.user).count, 2)
        for hash in hashes {
            try expectEqual(world.memory.get(StoreLayout.refreshToken(hash: hash)), nil)
        }
    }

    @Test func `a run has time for many accounts`() throws {
        let world = try DeletionKit()
        for number in 0..<60 {
            try world.delete(try world.kit.session(of: "user\(number)"))
        }
        world.clock.advance(by: DeletionSchedule.lease)
        try expectEqual(world.housekeep()["done"], 60)
    }
}
