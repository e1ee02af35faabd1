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

    @Test func `an imported user logs in, and the hash is renewed`() throws {
        let kit = try AuthKit(policy: .passwords())
        let outcomes = try kit.auth.importUsers([entry()]).outcomes
        guard case .imported(let user) = outcomes[0] else {
            Issue.record("\(outcomes)")
            return
        }
        try expectEqual(storedHash(kit, user), Self.bcrypt)
        expectError(.password(.wrongCredentials)) {
            try kit.logIn("ada@example.com", "wrong horse")
        }
        try expectEqual(kit.logIn().user.id, user)
        #expect(try storedHash(kit, user).hasPrefix("$argon2id$"))
        try expectEqual(kit.logIn().user.id, user)
    }

    @Test func `data from the other system is kept`() throws {
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
        expectEqual(user.createdAt, created)
        // A creation time in the future is replaced by the current time.
        try expectEqual(kit.logIn("later@example.com").user.createdAt, kit.clock.wall.now())
    }

    @Test func `a failed user does not stop the rest of the batch`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passwords())
        let batch = (0..<3).map { entry("user\($0)@example.com") }
        let second = StoreLayout.emailClaim(try kit.email("user1@example.com"))
        store.setFate { call in
            guard case .write(let writes) = call, writes.contains(where: { $0.key == second })
            else { return .fine }
            return .answerLost
        }
        #expect(throws: AuthError.self) { try kit.auth.importUsers(batch) }
        store.comeBack()
        let outcomes = try kit.auth.importUsers(batch).outcomes
        #expect(outcomes[0] == .exists && outcomes[1] == .exists)
        for index in 0..<3 { _ = try kit.logIn("user\(index)@example.com") }
    }

    // MARK: The work of a wrong password

    /// A cheap hash of each algorithm, and an expensive one.
    private static let hashes = [
        bcrypt, "$2b$07$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
        "scrypt:16:8:1$salt$" + String(repeating: "ab", count: 64),
        "scrypt:64:8:1$salt$" + String(repeating: "ab", count: 64),
        "pbkdf2:sha1:10$salt$" + String(repeating: "ab", count: 20),
        "pbkdf2:sha256:1000$salt$" + String(repeating: "ab", count: 32),
        "pbkdf2:sha256:3000$salt$" + String(repeating: "ab", count: 32),
        "pbkdf2:sha512:20$salt$" + String(repeating: "ab", count: 64),
        "$argon2id$v=19$m=64,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$"
            + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ]

    /// Records the work that was done without a hash.
    private final class Spent: Sendable {
        private let works = Mutex<[PasswordWork]>([])
        var all: [PasswordWork] { works.withLock { $0 } }

        func note(_ work: PasswordWork) { works.withLock { $0.append(work) } }
        func forget() { works.withLock { $0 = [] } }
    }

    /// The work of a login with a wrong password: the work for the hash, and any additional work.
    private func work(
        _ kit: AuthKit, _ spent: Spent, on hash: String?, _ email: String
    ) throws -> [PasswordWork] {
        spent.forget()
        expectError(.password(.wrongCredentials)) { try kit.logIn(email, "wrong horse") }
        return try (hash.map { [try PasswordWork(comparing: $0)] } ?? []) + spent.all
    }

    private func time(_ works: [PasswordWork]) -> Int {
        works.reduce(0) { $0 + $1.estimatedNanoseconds }
    }

    /// The clock of the threads stands still except for what was spent without a hash, so a hash of
    /// another algorithm than the costliest takes no time: all of the costliest's is filled up.
    @Test func `every wrong password costs as much as the costliest imported hash`() throws {
        let spent = Spent()
        let kit = try AuthKit(
            policy: .passwords(.immediate), onPasswordWork: { spent.note($0) },
            passwordClock: { spent.all.reduce(0) { $0 + $1.estimatedNanoseconds } })
        let native = try storedHash(kit, try kit.account("native@example.com").id)
        let own = PasswordWork(.argon2id, 8)
        try expectEqual(work(kit, spent, on: nil, "unknown@example.com"), [own])
        try expectEqual(work(kit, spent, on: native, "native@example.com"), [own])
        let batch = Self.hashes.enumerated().map { index, hash in
            entry("\(index)@example.com") { $0.passwordHash = hash }
        }
        let output = try kit.auth.importUsers(batch)
        let works = try Self.hashes.map { try PasswordWork(comparing: $0) }
        let costliest = try #require(PasswordWork.costliest(of: works))
        // Less than is worth a warning.
        expectEqual(output.wrongPasswordMilliseconds, nil)
        try expectEqual(work(kit, spent, on: nil, "unknown@example.com"), [costliest])
        let most = costliest.estimatedNanoseconds + PasswordWork.filling.estimatedNanoseconds
        for (index, hash) in (Self.hashes + [native]).enumerated() {
            let email = index < works.count ? "\(index)@example.com" : "native@example.com"
            let done = try work(kit, spent, on: hash, email)
            if done[0].algorithm == costliest.algorithm {
                expectEqual(done.reduce(0) { $0 + $1.amount }, costliest.amount, "\(hash)")
            } else {
                let filled = time(Array(done.dropFirst()))
                #expect((costliest.estimatedNanoseconds...most).contains(filled), "\(hash)")
                #expect(done.dropFirst().allSatisfy { $0 == .filling })
            }
        }
        // The right password reveals the account anyway.
        spent.forget()
        _ = try kit.logIn("0@example.com")
        expectEqual(spent.all, [])
    }

    @Test func `the costliest of several imports determines the cost`() throws {
        let spent = Spent()
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try AuthKit(
            policy: .passwords(.immediate), clock: clock, store: store,
            onPasswordWork: { spent.note($0) })
        try kit.account()
        // Two concurrent imports.
        store.beforeNextWrite {
            _ = try kit.auth.importUsers([entry { $0.passwordHash = Self.hashes[6] }])
        }
        _ = try kit.auth.importUsers([entry { $0.passwordHash = Self.hashes[1] }, entry()])
        _ = try kit.auth.importUsers([entry { $0.passwordHash = Self.hashes[5] }])
        try expectEqual(
            work(kit, spent, on: nil, "unknown@example.com"), [PasswordWork(.bcrypt, 128)])
        let row = try store.get(StoreLayout.importedHashes)
        expectEqual(
            ImportedHashes.works(row),
            [PasswordWork(.bcrypt, 128), PasswordWork(.pbkdf2Sha256, 3000)])
    }

    /// The latest wrong passwords are measured, each in turn.
    @Test func `the time for a wrong password is measured, or estimated without measurements`() {
        let time = WrongPasswordTime(clock: { 0 })
        let (work, done) = (PasswordWork(.bcrypt, 4096), PasswordWork(.argon2id, 38_912))
        // Twice as slow as the estimate of what was done.
        expectEqual(
            time.nanoseconds(of: work, after: done, 2 * done.estimatedNanoseconds),
            2 * work.estimatedNanoseconds)
        for nanoseconds in 1...20 { time.note(nanoseconds, of: work) }
        let found = (0..<32).map { _ in time.nanoseconds(of: work, after: done, 1) }
        expectEqual(Set(found), Set(5...20))
        time.note(7, of: PasswordWork(.bcrypt, 8192))
        expectEqual(time.nanoseconds(of: PasswordWork(.bcrypt, 8192), after: done, 1), 7)
    }

    @Test func `housekeeping forgets the cost of imported hashes once no account has one`() throws {
        let spent = Spent()
        let kit = try AuthKit(policy: .passwords(.immediate), onPasswordWork: { spent.note($0) })
        _ = try kit.auth.importUsers([
            entry("0@example.com") { $0.passwordHash = Self.hashes[0] },
            entry("1@example.com") { $0.passwordHash = Self.hashes[0] },
        ])
        kit.clock.advance(by: .days(2))
        func run() throws -> Bool {
            _ = try kit.auth.housekeeping([.forgetImportedHashes], until: nil)
            return try kit.store.get(StoreLayout.importedHashes) == nil
        }
        try expectEqual(run(), false)
        _ = try kit.logIn("0@example.com")
        try expectEqual(run(), false)
        let last = try kit.logIn("1@example.com")
        // An import that has just begun has written no mark yet.
        _ = try kit.auth.importUsers([
            entry {
                $0.passwordHash = Self.hashes[1]; $0.email = "x"
            }
        ])
        try expectEqual(run(), false)
        kit.clock.advance(by: .days(1))
        try expectEqual(run(), true)
        #expect(try kit.user(last.user.id) != nil)
        try expectEqual(
            work(kit, spent, on: nil, "unknown@example.com"), [PasswordWork(.argon2id, 8)])
    }

    @Test func `a row of an earlier version without marks is not removed`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        try kit.store.write([
            .put(Item(StoreLayout.importedHashes, ["bcrypt": .integer(128)]), when: [])
        ])
        kit.clock.advance(by: .days(2))
        _ = try kit.auth.housekeeping([.forgetImportedHashes], until: nil)
        #expect(try kit.store.get(StoreLayout.importedHashes) != nil)
        _ = try kit.auth.importUsers([entry { $0.passwordHash = Self.hashes[1] }])
        let row = try #require(try kit.store.get(StoreLayout.importedHashes))
        try expectEqual(ImportedHashes.importedAt(row), nil)
    }

    @Test func `a changed row cannot raise the cost above the maximum of a hash`() throws {
        let spent = Spent()
        let kit = try AuthKit(policy: .passwords(.immediate), onPasswordWork: { spent.note($0) })
        let row = Item(
            StoreLayout.importedHashes,
            ["bcrypt": .integer(.max), "scrypt": .integer(-1), "pbkdf2Sha1": .text("x")])
        try kit.store.write([.put(row, when: [])])
        try expectEqual(
            work(kit, spent, on: nil, "unknown@example.com"), [PasswordWork(.argon2id, 8)])
    }
}
