@Suite("Rotating keys on request") struct RotateKeysTests {
    private let clock = TestClock()
    private let store: MemoryStore
    private let kit: AuthKit

    init() throws {
        store = MemoryStore(clock: clock.wall)
        kit = try Self.process(store, clock, seed: 1)
    }

    private static func process(
        _ store: any KeyValueStore, _ clock: TestClock, seed: UInt64
    ) throws -> AuthKit {
        try AuthKit(
            policy: AccessTokensTests.policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256,
                    sealing: try AuthKit.masterKey().sealing { $0.signingKeys })),
            seed: seed)
    }

    private func fresh(_ seed: UInt64) throws -> AuthKit {
        try Self.process(store, clock, seed: seed)
    }

    private func published() throws -> [String] {
        try fresh(50).auth.signingKeys.publishedKeys(at: clock.now).compactMap(\.kid)
    }

    @Test func `a rotation publishes the next key a day before it signs`() throws {
        let old = try kit.auth.signingKeys.signingKey(at: clock.now).kid
        let token = try kit.session().access.reveal()
        let change = try #require(try kit.auth.rotateKeys(Caller()))
        expectEqual(change.signsFrom, clock.now + SigningKeys.publishedBeforeUse)
        try expectEqual(published(), [old, change.kid])
        // Repeated, it is the same key.
        try expectEqual(fresh(2).auth.rotateKeys(Caller()), change)
        try expectEqual(fresh(3).auth.signingKeys.signingKey(at: clock.now).kid, old)
        #expect(throws: Never.self) { try fresh(4).authenticate(token) }
        clock.advance(by: SigningKeys.publishedBeforeUse)
        let signer = try fresh(5)
        try expectEqual(signer.auth.signingKeys.signingKey(at: clock.now).kid, change.kid)
        try expectEqual(published(), [old, change.kid])
        clock.advance(by: SigningKeys.publishedAfterUse)
        try expectEqual(published(), [change.kid])
        try expectEqual(kit.audit(in: .administration), ["signingKeyMade"])
    }

    @Test func `a leaked key is refused at once, and its successor signs`() throws {
        let old = try kit.auth.signingKeys.signingKey(at: clock.now).kid
        let tokens = try kit.session()
        let change = try #require(try kit.auth.rotateKeys(retiring: old, Caller()))
        #expect(change.signsFrom == clock.now && change.kid != old)
        try expectEqual(published(), [change.kid])
        let other = try fresh(2)
        expectError(.accessToken(.invalid)) { try other.authenticate(tokens) }
        // The session continues, with a token signed with the new key.
        let next = try other.refresh(tokens)
        #expect(throws: Never.self) { try fresh(3).authenticate(next.access.reveal()) }
        try expectEqual(kit.auth.rotateKeys(retiring: old, Caller()), nil)
        try expectEqual(kit.audit(in: .administration), ["signingKeyRetired"])
    }

    @Test func `a published key that does not sign yet replaces a leaked one`() throws {
        let old = try kit.auth.signingKeys.signingKey(at: clock.now).kid
        let next = try #require(try kit.auth.rotateKeys(Caller()))
        let change = try #require(try kit.auth.rotateKeys(retiring: old, Caller()))
        #expect(change.kid == next.kid && change.signsFrom == clock.now)
        try expectEqual(fresh(2).auth.signingKeys.signingKey(at: clock.now).kid, next.kid)
        clock.advance(by: .days(30))
        try expectEqual(fresh(3).auth.signingKeys.signingKey(at: clock.now).kid, next.kid)
    }

    @Test func `a leaked key that does not sign yet is replaced, and the old one keeps signing`()
        throws
    {
        let old = try kit.auth.signingKeys.signingKey(at: clock.now).kid
        let next = try #require(try kit.auth.rotateKeys(Caller()))
        clock.advance(by: .hours(20))
        let change = try #require(try fresh(2).auth.rotateKeys(retiring: next.kid, Caller()))
        expectEqual(change.signsFrom, clock.now + SigningKeys.publishedBeforeUse)
        try expectEqual(published(), [old, change.kid])
        clock.advance(by: SigningKeys.publishedBeforeUse - .milliseconds(1))
        try expectEqual(fresh(3).auth.signingKeys.signingKey(at: clock.now).kid, old)
        clock.advance(by: .milliseconds(1))
        try expectEqual(fresh(4).auth.signingKeys.signingKey(at: clock.now).kid, change.kid)
    }

    @Test func `the period of rotation can be set`() throws {
        let keys = StoredSigningKeys(
            store: store, random: .seeded(9), algorithm: .es256,
            sealing: try AuthKit.masterKey().sealing { $0.signingKeys }, rotationAge: .days(7))
        _ = try SigningKeys(stored: keys).signingKey(at: clock.now)
        clock.advance(by: .days(6) + .milliseconds(-1))
        try expectEqual(SigningKeys(stored: keys).publishedKeys(at: clock.now).count, 1)
        clock.advance(by: .milliseconds(1))
        try expectEqual(SigningKeys(stored: keys).publishedKeys(at: clock.now).count, 2)
    }
}
