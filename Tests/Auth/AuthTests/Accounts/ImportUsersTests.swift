import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import Testing
import Time

@Suite("ImportUsers") struct ImportUsersTests {
    /// `AuthKit.password` by PyPI's bcrypt.
    static let bcrypt = "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa"

    private func entry(
        _ email: String = "ada@example.com",
        _ change: (inout ImportUsers.Entry) -> Void = { _ in }
    ) -> ImportUsers.Entry {
        var entry = ImportUsers.Entry(email: email, passwordHash: Self.bcrypt)
        change(&entry)
        return entry
    }

    private func storedHash(_ kit: AuthKit, _ user: UserID) throws -> String {
        try PasswordRecord.hash(try #require(try kit.store.get(StoreLayout.password(of: user))))
    }

    @Test func `an imported user logs in, and the hash is made anew`() throws {
        let kit = try AuthKit(policy: .passwords())
        let outcomes = try kit.auth.importUsers([entry()])
        guard case .imported(let user) = outcomes[0] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(try storedHash(kit, user) == Self.bcrypt)
        #expect(
            kit.error { _ = try kit.logIn("ada@example.com", "wrong horse") }
                == .password(.wrongCredentials))
        #expect(try kit.logIn().user.id == user)
        #expect(try storedHash(kit, user).hasPrefix("$argon2id$"))
        #expect(try kit.logIn().user.id == user)
    }

    @Test func `what the other system knew is kept`() throws {
        let kit = try AuthKit(policy: .passwords())
        let created = Instant(seconds: 1_600_000_000)
        _ = try kit.auth.importUsers([
            entry("Ada@Example.com") {
                $0.isEmailVerified = true
                $0.displayName = " Ada Lovelace\n"
                $0.createdAt = created
            },
            entry("later@example.com") { $0.createdAt = kit.clock.wall.now() + .days(1) },
        ])
        let user = try kit.logIn().user
        #expect(user.email == "Ada@Example.com" && user.login == "ada@example.com")
        #expect(user.isEmailVerified && user.displayName == "Ada Lovelace")
        #expect(user.createdAt == created)
        // Nothing is newer than now.
        #expect(try kit.logIn("later@example.com").user.createdAt == kit.clock.wall.now())
    }

    @Test func `an account that exists is left as it is, so a batch can be sent again`() throws {
        let kit = try AuthKit(policy: .passwords())
        let user = try kit.account()
        let before = try storedHash(kit, user.id)
        let outcomes = try kit.auth.importUsers([
            entry("ADA@example.com"), entry("new@example.com"), entry("new@example.com"),
        ])
        #expect(outcomes[0] == .exists && outcomes[2] == .exists)
        #expect(try storedHash(kit, user.id) == before)
        #expect(try kit.auth.importUsers([entry("new@example.com")]) == [.exists])
    }

    @Test func `what cannot be used is refused, and the others are imported`() throws {
        let kit = try AuthKit(policy: .passwords())
        let outcomes = try kit.auth.importUsers([
            entry("not an address"), entry { $0.passwordHash = "5f4dcc3b5aa765d61d8327deb882cf99" },
            entry(),
        ])
        #expect(outcomes[0] == .refused(.emailInvalid))
        #expect(outcomes[1] == .refused(.passwordHashUnsupported))
        guard case .imported = outcomes[2] else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test func `after a failure the rest of the batch follows`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try AuthKit(policy: .passwords(), clock: clock, store: store)
        let batch = (0..<3).map { entry("user\($0)@example.com") }
        let second = StoreLayout.emailClaim("user1@example.com")
        store.setFate { call in
            guard case .write(let writes) = call, writes.contains(where: { $0.key == second })
            else { return .fine }
            return .answerLost
        }
        #expect(throws: AuthError.self) { try kit.auth.importUsers(batch) }
        store.comeBack()
        let outcomes = try kit.auth.importUsers(batch)
        #expect(outcomes[0] == .exists && outcomes[1] == .exists)
        for index in 0..<3 { _ = try kit.logIn("user\(index)@example.com") }
    }
}
