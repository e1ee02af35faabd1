/// The application's data by user, when the account is deleted.
@Suite("Erasing the application's part") struct ErasedApplicationPartTests {
    private func deleted(_ deletion: DeletionKit) throws -> UserID {
        let tokens = try deletion.fullAccount()
        try deletion.delete(tokens)
        return tokens.user.id
    }

    @Test func `the part is erased after the reply, and again after the last token has expired`()
        throws
    {
        let deletion = try DeletionKit()
        let (erasure, user) = (deletion.kit.erasure, try deleted(deletion))
        deletion.kit.finishReply()
        #expect(erasure.entries(of: user).isEmpty)
        erasure.addEntry("late", of: user)
        deletion.clock.advance(by: .minutes(65))
        try deletion.housekeep()
        #expect(erasure.entries(of: user).isEmpty)
        for _ in 0..<3 {
            deletion.clock.advance(by: .days(31))
            try deletion.housekeep()
        }
        expectEqual(
            erasure.erased,
            [
                EndedAccount(user: user, mergedInto: nil, isLast: false),
                EndedAccount(user: user, mergedInto: nil, isLast: true),
            ])
        try expectEqual(deletion.kit.user(user), nil)
    }

    @Test func `only the account's row waits for the application, for as long as necessary`()
        throws
    {
        let deletion = try DeletionKit()
        let erasure = deletion.kit.erasure
        erasure.failApplication(.unavailable)
        let user = try deleted(deletion)
        deletion.kit.finishReply()
        #expect(erasure.objects(of: user) == 0 && erasure.revoked == ["apple token"])
        for _ in 0..<60 {
            deletion.clock.advance(by: .days(1))
            try expectEqual(deletion.housekeep()["failed"], 1)
        }
        expectEqual(erasure.reports.last, .failed(user, .application, .unavailable))
        #expect(try deletion.kit.user(user) != nil)
        expectEqual(erasure.entries(of: user), ["note"])
        erasure.failApplication(nil)
        deletion.clock.advance(by: .days(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(erasure.erased.map(\.isLast), [true])
        try expectEqual(deletion.kit.user(user), nil)
    }

    @Test func `failures of other parts do not repeat the application's last call`()
        throws
    {
        let deletion = try DeletionKit()
        let (erasure, user) = (deletion.kit.erasure, try deleted(deletion))
        deletion.kit.finishReply()
        erasure.failObjects(.unavailable)
        deletion.clock.advance(by: .minutes(65))
        try expectEqual(deletion.housekeep()["failed"], 1)
        for _ in 0..<3 {
            deletion.clock.advance(by: .days(1))
            try expectEqual(deletion.housekeep()["failed"], 1)
        }
        erasure.failObjects(nil)
        deletion.clock.advance(by: .days(1))
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(erasure.erased.filter { $0.user == user }.map(\.isLast), [false, true])
    }
}
