import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Cryptography
import KeyValueStore
import Synchronization
import TestSupport
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
        try expectEqual(storedHash(kit, user), Self.bcrypt)
        expectEqual(
            kit.error { _ = try kit.logIn("ada@example.com", "wrong horse") },
            .password(.wrongCredentials))
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

    @Test func `an account that exists is left as it is, so a batch can be sent again`() throws {
        let kit = try AuthKit(policy: .passwords())
        let user = try kit.account()
        let before = try storedHash(kit, user.id)
        let outcomes = try kit.auth.importUsers([
            entry("ADA@example.com"), entry("new@example.com"), entry("new@example.com"),
        ])
        #expect(outcomes[0] == .exists && outcomes[2] == .exists)
        try expectEqual(storedHash(kit, user.id), before)
        try expectEqual(kit.auth.importUsers([entry("new@example.com")]), [.exists])
    }

    @Test func `unusable entries are refused, and the others are imported`() throws {
        let kit = try AuthKit(policy: .passwords())
        let outcomes = try kit.auth.importUsers([
            entry("not an address"), entry { $0.passwordHash = "5f4dcc3b5aa765d61d8327deb882cf99" },
            entry(),
        ])
        expectEqual(outcomes[0], .refused(.emailInvalid))
        expectEqual(outcomes[1], .refused(.passwordHashUnsupported))
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
        let second = StoreLayout.emailClaim(try kit.email("user1@example.com"))
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

    /// The work of a login with a wrong password, by algorithm.
    private func work(
        _ kit: AuthKit, _ spent: Spent, on hash: String?, _ email: String
    ) throws -> [PasswordWork.Algorithm: Int] {
        spent.forget()
        let error = kit.error { _ = try kit.logIn(email, "wrong horse") }
        expectEqual(error, .password(.wrongCredentials))
        let compared = try hash.map { [try PasswordWork(comparing: $0)] } ?? []
        return (compared + spent.all).reduce(into: [:]) {
            $0[$1.algorithm, default: 0] += $1.amount
        }
    }

    @Test func `a wrong password is the same work for every address, imported or not`() throws {
        let spent = Spent()
        let kit = try AuthKit(
            policy: .passwords(.immediate),
            onPasswordWork: { spent.note($0) })
        let native = try storedHash(kit, try kit.account("native@example.com").id)
        try expectEqual(work(kit, spent, on: nil, "unknown@example.com"), [.argon2id: 8])
        try expectEqual(work(kit, spent, on: native, "native@example.com"), [.argon2id: 8])
        let batch = Self.hashes.enumerated().map { index, hash in
            entry("\(index)@example.com") { $0.passwordHash = hash }
        }
        _ = try kit.auth.importUsers(batch)
        let expected: [PasswordWork.Algorithm: Int] = [
            .argon2id: 192, .bcrypt: 128, .scrypt: 512, .pbkdf2Sha1: 10, .pbkdf2Sha256: 3000,
            .pbkdf2Sha512: 20,
        ]
        try expectEqual(work(kit, spent, on: nil, "unknown@example.com"), expected)
        try expectEqual(work(kit, spent, on: native, "native@example.com"), expected)
        for (index, hash) in Self.hashes.enumerated() {
            try expectEqual(work(kit, spent, on: hash, "\(index)@example.com"), expected, "\(hash)")
        }
        // The right password reveals the account anyway.
        spent.forget()
        _ = try kit.logIn("0@example.com")
        expectEqual(spent.all, [])
    }

    @Test func `the greatest cost of several imports counts, also of accounts that exist`() throws {
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
            work(kit, spent, on: nil, "unknown@example.com"),
            [.argon2id: 8, .bcrypt: 128, .pbkdf2Sha256: 3000])
    }

    @Test func `a changed row costs no more than any hash could`() throws {
        let spent = Spent()
        let kit = try AuthKit(
            policy: .passwords(.immediate),
            onPasswordWork: { spent.note($0) })
        let row = Item(
            StoreLayout.importedHashes,
            ["bcrypt": .integer(.max), "scrypt": .integer(-1), "pbkdf2Sha1": .text("x")])
        try kit.store.write([.put(row, when: [])])
        try expectEqual(work(kit, spent, on: nil, "unknown@example.com"), [.argon2id: 8])
    }
}
