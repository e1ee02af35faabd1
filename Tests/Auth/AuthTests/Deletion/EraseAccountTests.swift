/// The erased data of a deleted account, and the time of its erasure.
@Suite("Erase account") struct EraseAccountTests {
    private func deleted(_ deletion: DeletionKit) throws -> User {
        let tokens = try deletion.fullAccount()
        try deletion.delete(tokens)
        return tokens.user
    }

    @Test func `objects written later are erased after the storage credentials have expired`()
        throws
    {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        deletion.kit.erasure.setObjects(1, of: user.id)
        deletion.clock.advance(by: .minutes(65) - .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 0)
        deletion.clock.advance(by: .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(deletion.kit.erasure.objects(of: user.id), 0)
        expectEqual(deletion.kit.erasure.reports, [.erased(user.id)])
        try expectEqual(deletion.kit.audit(of: user.id).last, "accountErased")
    }

    @Test func `the tombstone is removed at the end of its retention`() throws {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        deletion.clock.advance(by: .minutes(65))
        try deletion.housekeep()
        deletion.clock.advance(by: .days(30) - .minutes(65) - .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 0)
        try expectEqual(deletion.rows(of: user).count, 2)
        deletion.clock.advance(by: .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        #expect(try deletion.rows(of: user).isEmpty)
        // The audit events remain.
        #expect(try deletion.kit.audit(of: user.id).contains("accountErased"))
        try expectEqual(deletion.housekeep()["done"], 0)
    }

    @Test func `a failing provider is retried with pauses, and does not stop other work`() throws {
        let deletion = try DeletionKit()
        deletion.kit.erasure.failRevoking(.unavailable)
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        expectEqual(deletion.kit.erasure.objects(of: user.id), 0)
        try expectEqual(
            deletion.rows(of: user),
            [
                "DELETION 2023-11-14T22:14:20.000Z",
                "SEALED \(Hex.encode(try AuthKit.masterKey().id))", "USER GRANT", "USER PROFILE",
            ])
        var pauses: [Span] = []
        for _ in 0..<9 {
            let due = try #require(try deletion.jobs().first).due
            pauses.append(due - deletion.clock.now)
            deletion.clock.advance(by: due - deletion.clock.now)
            try expectEqual(deletion.housekeep()["failed"], 1)
        }
        expectEqual(pauses, DeletionSchedule.pauses + [.days(1)])
        deletion.kit.erasure.failRevoking(nil)
        deletion.clock.advance(by: .days(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(deletion.kit.erasure.revoked, ["apple token"])
        try expectEqual(deletion.rows(of: user).count, 2)
    }

    @Test(arguments: [ErasureFailure.unavailable, .refused])
    func `a token that cannot be revoked is deleted with the tombstone, and audited`(
        failure: ErasureFailure
    ) throws {
        let deletion = try DeletionKit()
        deletion.kit.erasure.failRevoking(failure)
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        deletion.clock.advance(by: .days(30) - .milliseconds(1))
        try expectEqual(deletion.housekeep()["failed"], 1)
        #expect(try deletion.rows(of: user).contains("USER GRANT"))
        deletion.clock.advance(by: .days(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        #expect(try deletion.rows(of: user).isEmpty)
        #expect(try deletion.kit.audit(of: user.id).contains("providerTokenNotRevoked"))
        #expect(deletion.kit.erasure.reports.contains(.providerTokenNotRevoked(user.id)))
    }

    @Test func `the tombstone remains while the storage fails`() throws {
        let deletion = try DeletionKit()
        deletion.kit.erasure.failObjects(.refused)
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        for _ in 0..<60 {
            deletion.clock.advance(by: .days(1))
            try expectEqual(deletion.housekeep()["failed"], 1)
        }
        expectEqual(deletion.kit.erasure.reports.last, .failed(user.id, .objects, .refused))
        try expectEqual(deletion.rows(of: user).count, 2)
        deletion.kit.erasure.failObjects(nil)
        deletion.clock.advance(by: .days(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(deletion.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `several runs erase more objects than one run has time for`() throws {
        let deletion = try DeletionKit()
        deletion.kit.erasure.limitObjects(perRun: 1)
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        expectEqual(deletion.kit.erasure.objects(of: user.id), 2)
        try expectEqual(deletion.housekeep()["unfinished"], 1)
        expectEqual(deletion.kit.erasure.objects(of: user.id), 1)
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(deletion.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `an invocation without time left leaves the erasure to housekeeping`() throws {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        deletion.kit.auth.afterReply.run(until: deletion.clock.now + .seconds(1))
        expectEqual(deletion.kit.erasure.objects(of: user.id), 3)
        deletion.clock.advance(by: DeletionSchedule.lease - .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 0)
        deletion.clock.advance(by: .milliseconds(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(deletion.kit.erasure.objects(of: user.id), 0)
    }

    @Test func `a request that was suspended past its lease erases nothing`() throws {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        deletion.clock.advance(by: DeletionSchedule.lease)
        deletion.kit.finishReply()
        expectEqual(deletion.kit.erasure.objects(of: user.id), 3)
    }

    @Test func `only one of two runs at the same time erases each account`() throws {
        let deletion = try DeletionKit()
        _ = try deleted(deletion)
        deletion.clock.advance(by: DeletionSchedule.lease)
        let other = try AuthKit(
            policy: DeletionKit.policy, clock: deletion.clock, store: deletion.memory, seed: 2,
            erasure: deletion.kit.erasure)
        deletion.store.beforeNextWrite {
            _ = try other.auth.housekeeping([.finishDeletions], until: nil)
        }
        try expectEqual(deletion.housekeep()["claimedElsewhere"], 1)
        expectEqual(deletion.kit.erasure.revoked, ["apple token"])
    }

    @Test func `an account that an operator restored is not erased`() throws {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        try deletion.kit.change(user.id) { $0.deletedAt = nil }
        deletion.kit.finishReply()
        expectEqual(deletion.kit.erasure.objects(of: user.id), 3)
        #expect(try deletion.rows(of: user).contains("USER PASSWORD"))
        #expect(try deletion.jobs().isEmpty)
    }

    @Test func `a registration that began after the deletion is not erased`() throws {
        let deletion = try DeletionKit()
        let user = try deleted(deletion)
        deletion.clock.advance(by: .seconds(1))
        let email = try deletion.kit.email("001@example.com")
        _ = try deletion.kit.auth.register(
            Register.Input(email: email, password: AuthKit.password), Caller())
        deletion.kit.finishReply()
        try expectEqual(deletion.rows(of: user).count { $0.hasPrefix("REGISTRATION") }, 1)
    }

    @Test func `a partition of several pages and many refreshes is erased`() throws {
        let deletion = try DeletionKit()
        let tokens = try deletion.fullAccount()
        let partition = StoreLayout.profile(tokens.user.id).partition
        for number in 0..<1500 {
            try deletion.memory.write([
                .put(Item(ItemKey(partition, "DEVICE#\(number)"), [:]), when: [])
            ])
        }
        var token = tokens.refresh.reveal()
        var hashes: [[UInt8]] = []
        for _ in 0..<120 {
            deletion.clock.advance(by: .seconds(1))
            let next = try deletion.kit.refresh(token, Caller())
            token = next.refresh.reveal()
            if case .stored(let hash)? = try deletion.kit.auth.refreshTokens.read(token) {
                hashes.append(hash)
            }
        }
        expectEqual(hashes.count, 120)
        try deletion.delete(tokens)
        deletion.kit.finishReply()
        try expectEqual(deletion.rows(of: tokens.user).count, 2)
        for hash in hashes {
            try expectEqual(deletion.memory.get(StoreLayout.refreshToken(hash: hash)), nil)
        }
    }

    @Test func `a run has time for many accounts`() throws {
        let deletion = try DeletionKit()
        for number in 0..<60 { try deletion.delete(try deletion.kit.session(of: "user\(number)")) }
        deletion.clock.advance(by: DeletionSchedule.lease)
        try expectEqual(deletion.housekeep()["done"], 60)
    }
}
