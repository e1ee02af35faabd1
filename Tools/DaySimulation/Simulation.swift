import AuthTestSupport
import Contracts

/// A day of users of the contract `latchkey`, on a store in memory, with the operations, keys,
/// records and rate limits of a deployment.
final class Simulation {
    private struct User {
        let subject: String
        let caller: Caller
        var tokens: SessionTokens?
        var accessUntil = Instant(seconds: 0)
    }

    enum Failure: Error { case noContract }

    let meter: PartitionMeter
    private(set) var counts: [String: Int] = [:]
    private let clock: TestClock
    private let kit: AuthKit
    private var random: SplitMix64
    private var users: [User] = []
    /// The users that together act as the hot account.
    private var hot: Range<Int> = 0..<0
    private let start: Instant
    private let day: Day

    /// The housekeeping jobs of the contract.
    private static let jobs: [HousekeepingJob] = [
        .sendDueMail, .rotateKeys, .replaceMasterKey, .finishDeletions, .logAuditHeads,
    ]
    private static let hotSessions = 20
    private static let attacked = "attacked@example.com"
    /// An imported hash; the attack never guesses the password.
    private static let attackedHash = "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa"

    init(users count: Int, seed: UInt64) throws {
        guard let policy = Contract.named("latchkey")?.policy else { throw Failure.noContract }
        let clock = TestClock(Instant(seconds: 1_700_006_400))
        self.clock = clock
        start = clock.now
        let meter = PartitionMeter(clock: clock)
        self.meter = meter
        let store = CountingStore(MemoryStore(clock: clock.wall), observing: meter.add)
        let sealing = try AESGCMKey(try AuthKit.masterKey().signingKeys)
        kit = try AuthKit(
            policy: policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256, sealing: sealing)),
            seed: seed)
        random = SplitMix64(seed: seed)
        day = Day(users: count, random: &random)
        for index in 0..<count {
            users.append(User(subject: "\(index)", caller: caller(of: index)))
        }
    }

    /// Two thirds of the users have their own network address. The others share addresses of mobile
    /// networks, 200 users each.
    private func caller(of user: Int) -> Caller {
        let address =
            user % 3 == 0
            ? "198.51.\((user / 600) / 256).\((user / 600) % 256)"
            : "10.\(user / 65_536).\(user / 256 % 256).\(user % 256)"
        return Caller(address: address, userAgent: "Example/1 (iPhone)", bearerText: nil)
    }

    func run() throws {
        try prepare()
        meter.forget()
        counts = [:]
        for (second, occasion) in day.occasions {
            let at = start + .seconds(second)
            clock.advance(by: at - clock.now)
            try perform(occasion)
            kit.finishReply()
        }
    }

    /// All users except the day's new ones have signed in before.
    private func prepare() throws {
        clock.advance(by: .days(-1))
        let before = users.count - users.count * Int(Day.newUsersPercent) / 100
        for index in 0..<before {
            clock.advance(by: .seconds(10))
            try signIn(index)
        }
        hot = users.count..<(users.count + Self.hotSessions)
        for index in hot {
            clock.advance(by: .minutes(1))
            users.append(User(subject: "hot", caller: caller(of: 1)))
            try signIn(index)
        }
        kit.finishReply()
        _ = try kit.auth.importUsers([
            ImportUsers.Entry(email: Self.attacked, passwordHash: Self.attackedHash)
        ])
        clock.advance(by: start - clock.now)
    }

    private func perform(_ occasion: Day.Occasion) throws {
        switch occasion {
        case .open(let user): try open(user)
        case .signOut(let user):
            guard let tokens = users[user].tokens else { return }
            users[user].tokens = nil
            try count("signOut") { () throws(AuthError) in
                try kit.signOut(
                    refreshToken: tokens.refresh.reveal(), scope: .session, users[user].caller)
            }
        case .hot: try open(hot.lowerBound + Int(random.next(below: UInt64(hot.count))))
        case .attack(let address):
            guard let email = EmailAddress(parsing: Self.attacked) else { return }
            let attacker = Caller(
                address: "203.0.\(address / 256).\(address % 256)", bearerText: nil)
            try count("login, wrong password") { () throws(AuthError) in
                _ = try kit.auth.logIn(
                    LogIn.Input(email: email, password: "wrong password"), attacker)
            }
        case .housekeeping:
            try count("housekeeping") { () throws(AuthError) in
                _ = try kit.auth.housekeeping(Self.jobs, until: nil)
            }
        }
    }

    private func open(_ index: Int) throws {
        if let tokens = users[index].tokens {
            if users[index].accessUntil <= clock.now {
                try count("refresh") { () throws(AuthError) in
                    keep(
                        try kit.refresh(tokens.refresh.reveal(), users[index].caller), of: index)
                }
            }
        } else {
            try signIn(index)
        }
        guard let tokens = users[index].tokens else { return }
        for _ in 0..<Day.requestsOfOpen { try me(tokens, users[index].caller) }
    }

    private func signIn(_ index: Int) throws {
        keep(try kit.session(of: users[index].subject, users[index].caller), of: index)
        counts["signIn", default: 0] += 1
    }

    private func keep(_ tokens: SessionTokens, of index: Int) {
        users[index].tokens = tokens
        users[index].accessUntil = clock.now + kit.auth.policy.accessTokens.lifetime
    }

    private func me(_ tokens: SessionTokens, _ caller: Caller) throws {
        let caller = Caller(
            address: caller.address, userAgent: caller.userAgent,
            bearerText: tokens.access.reveal())
        try count("me") { () throws(AuthError) in
            _ = try kit.auth.authenticate(caller, for: .me)
        }
    }

    private func count(_ operation: String, _ body: () throws(AuthError) -> Void) throws {
        do {
            try body()
            counts[operation, default: 0] += 1
        } catch {
            counts["\(operation), refused", default: 0] += 1
        }
    }
}
