import AuthDomain
import AuthOperations
import AuthTestSupport
import Cryptography
import JOSE
import KeyValueStore
import Time

/// The measured cost of one operation in one scenario.
struct MeasuredCost: Sendable {
    let operation: String
    let situation: String
    let cost: StoreCost
    /// The maximum number of sequential round trips.
    let tripsMax: Int

    static func all() throws -> [MeasuredCost] {
        let measurement = try CostMeasurement()
        try measurement.measureSignIn()
        try measurement.measureRefresh()
        try measurement.measureSignOut()
        try measurement.measureBearer()
        try measurement.measureKeys()
        try measurement.measurePasswords()
        try measurement.measureAdministration()
        try measurement.measureHousekeeping()
        return measurement.rows
    }
}

/// Performs operations on a counting store and records the cost of each.
private final class CostMeasurement {
    private(set) var rows: [MeasuredCost] = []
    private let clock = TestClock()
    private let store: CountingStore
    private let fake = FakeIdentityProviders()
    private let broker = FakeStorageBroker()
    private let kit: AuthKit
    /// Processes that have already read their signing keys.
    private var warm: [AuthKit] = []
    private var serial: UInt64 = 0

    private static let address = "2001:db8:0:1::1"
    private static let caller = Caller(
        address: address,
        userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15")

    init() throws {
        store = CountingStore(MemoryStore(clock: clock.wall))
        kit = try Self.kit(clock, store, broker)
        warm = [kit]
    }

    private static func kit(
        _ clock: TestClock, _ store: CountingStore, _ broker: FakeStorageBroker,
        seed: UInt64 = 1, _ change: (inout Policy) -> Void = { _ in }
    ) throws -> AuthKit {
        let policy = Policy.testing.with {
            $0.accessTokens.algorithm = .es256
            $0.accessTokens.includesKeyID = true
            // The standard limits (Contracts/Shared.swift).
            $0.limits = [
                RateLimit(.challenge, per: .address, 60, in: .minutes(1)),
                RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
                RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
                RateLimit(.refresh, per: .address, 300, in: .minutes(1)),
                RateLimit(.refresh, per: .session, 120, in: .minutes(1)),
                RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
                RateLimit(.credentials, per: .account, 30, in: .minutes(1)),
                RateLimit(.adminLogin, per: .address, 5, in: .minutes(15)),
                RateLimit(.adminLogin, per: .overall, 50, in: .minutes(15)),
            ]
            change(&$0)
        }
        let sealing = try AESGCMKey(try AuthKit.masterKey().signingKeys)
        return try AuthKit(
            policy: policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256, sealing: sealing)),
            storage: broker.services(), seed: seed)
    }

    /// A process with another policy on the same store.
    private func kit(_ change: (inout Policy) -> Void) throws -> AuthKit {
        serial += 1
        let kit = try Self.kit(clock, store, broker, seed: 1000 + serial, change)
        warm.append(kit)
        return kit
    }

    private func measure(
        _ operation: AuthOperation, _ situation: String, tripsMax: Int = 2,
        _ body: () throws -> Void
    ) throws {
        // Each in its own rate limit window, so that no limit is reached.
        clock.advance(by: .minutes(1))
        for kit in warm { _ = try kit.auth.signingKeys.signingKey(at: clock.now) }
        store.forget()
        try body()
        rows.append(
            MeasuredCost(
                operation: operation.name, situation: situation, cost: store.cost,
                tripsMax: tripsMax))
    }

    /// The same for an operation that must be refused.
    private func measureRefusal(
        _ operation: AuthOperation, _ situation: String, tripsMax: Int = 2,
        _ body: () throws(AuthError) -> Void
    ) throws {
        var error: AuthError?
        try measure(operation, situation, tripsMax: tripsMax) {
            do throws(AuthError) { try body() } catch let refusal { error = refusal }
        }
        guard error != nil else { throw NotRefused(situation: situation) }
    }

    private struct NotRefused: Error { let situation: String }

    /// A sign-in with a token that has not been used before.
    private func input(
        _ subject: String, nonce: String? = nil, email: String = "ada@example.com"
    ) -> SignIn.Input {
        serial += 1
        let token = "token \(serial)"
        fake.add(
            token,
            FakeIdentity {
                $0.subject = subject
                $0.nonce = nonce
                $0.email = email
            })
        var input = SignIn.Input(provider: "apple", idToken: token, nonce: nonce)
        input.deviceName = "Ada's iPhone"
        input.deviceSystem = "iOS 18.0"
        return input
    }

    private func session(_ kit: AuthKit, of subject: String) throws -> SessionTokens {
        clock.advance(by: .minutes(1))
        let output = try kit.signIn(fake.gateway)(input(subject), Self.caller)
        guard let tokens = output.tokens else { throw AuthKit.KitFailure.noSession }
        return tokens
    }

    private func signed(_ tokens: SessionTokens) -> Caller {
        Caller(
            address: Self.address, userAgent: Self.caller.userAgent,
            bearerText: tokens.access.reveal())
    }
}

extension CostMeasurement {
    fileprivate func measureSignIn() throws {
        var nonce = ""
        try measure(.challenge, "nonce issued") { nonce = try kit.challenge(Self.caller).nonce }

        func signIn(_ kit: AuthKit, _ input: SignIn.Input) throws(AuthError) {
            _ = try kit.signIn(fake.gateway)(input, Self.caller)
        }
        try measure(.signIn, "new account") { try signIn(kit, input("1")) }
        try measure(.signIn, "new account, with a nonce") {
            try signIn(kit, input("2", nonce: nonce))
        }
        let numbered = try kit {
            $0.accounts.hasPublicID = true
            $0.accounts.claimsEmail = true
        }
        try measure(.signIn, "new account with an integer id and a claimed address", tripsMax: 3) {
            try signIn(numbered, input("3"))
        }
        let listed = try kit { $0.accounts.isListed = true }
        try measure(.signIn, "new account that administrators can list") {
            try signIn(listed, input("listed"))
        }
        try measure(.signIn, "known account", tripsMax: 3) { try signIn(kit, input("1")) }
        try measure(.signIn, "known account, new e-mail address", tripsMax: 3) {
            try signIn(kit, input("1", email: "new@example.com"))
        }
        let one = try kit { $0.sessions.sessionsMax = 3 }
        try measure(.signIn, "known account, ends one session of four", tripsMax: 3) {
            try signIn(one, input("1"))
        }
        let used = input("4")
        try signIn(kit, used)
        try measureRefusal(.signIn, "identity token already used", tripsMax: 1) {
            () throws(AuthError) in try signIn(kit, used)
        }
        try measureRefusal(.signIn, "identity token rejected", tripsMax: 1) {
            () throws(AuthError) in
            try signIn(kit, SignIn.Input(provider: "apple", idToken: "junk"))
        }
        try measure(.signIn, "known account, storage credentials and no session", tripsMax: 3) {
            _ = try kit.signInForStorage(fake.gateway)(input("1"), Self.caller)
        }
    }

    fileprivate func measureRefresh() throws {
        func refresh(
            _ kit: AuthKit, _ token: String
        ) throws(AuthError) -> String {
            try kit.refresh(token, Self.caller).refresh.reveal()
        }
        let first = try session(kit, of: "refresh").refresh.reveal()
        var second = ""
        try measure(.refresh, "current token") { second = try refresh(kit, first) }
        clock.advance(by: .minutes(-1))
        try measure(.refresh, "previous token within the grace period", tripsMax: 1) {
            _ = try refresh(kit, first)
        }
        _ = try refresh(kit, second)
        try measureRefusal(.refresh, "reused token") { () throws(AuthError) in
            _ = try refresh(kit, first)
        }
        try measureRefusal(.refresh, "session ended", tripsMax: 1) { () throws(AuthError) in
            _ = try refresh(kit, first)
        }
        try measureRefusal(.refresh, "forged token", tripsMax: 0) { () throws(AuthError) in
            _ = try refresh(kit, first + "A")
        }

        let wide = try kit { $0.sessions.reuseScope = .user }
        let stolen = try session(wide, of: "wide").refresh.reveal()
        _ = try refresh(wide, stolen)
        try measureRefusal(.refresh, "reused token, ends every session of the user") {
            () throws(AuthError) in _ = try refresh(wide, stolen)
        }

        let lasting = try kit { $0.sessions.rotation = .never }
        let kept = try session(lasting, of: "lasting").refresh.reveal()
        try measure(.refresh, "without rotation") { _ = try refresh(lasting, kept) }

        let opaque = try kit { $0.sessions.refreshTokens = .opaque(prefix: "lkr_") }
        let found = try session(opaque, of: "opaque").refresh.reveal()
        try measure(.refresh, "token found by its hash (opaque or UUID)", tripsMax: 3) {
            _ = try refresh(opaque, found)
        }
        try measureRefusal(.refresh, "reused token found by its hash", tripsMax: 3) {
            () throws(AuthError) in _ = try refresh(opaque, found)
        }
    }

    fileprivate func measureSignOut() throws {
        func sessions(_ subject: String) throws -> SessionTokens {
            for _ in 0..<3 { _ = try session(kit, of: subject) }
            return try session(kit, of: subject)
        }
        let scopes: [(SignOut.Scope, String, Int)] = [
            (.session, "scope session", 2), (.others, "scope others, of four sessions", 3),
            (.all, "scope all, of four sessions", 2),
        ]
        for (scope, situation, tripsMax) in scopes {
            let mine = try sessions("\(scope)")
            try measure(.signOut, "\(situation), by refresh token", tripsMax: tripsMax) {
                try kit.signOut(
                    refreshToken: mine.refresh.reveal(), scope: scope, Self.caller)
            }
        }
        let bearer = try session(kit, of: "bearer")
        try measure(.signOut, "scope session, by access token") {
            try kit.signOut(refreshToken: nil, scope: .session, signed(bearer))
        }
        let both = try session(kit, of: "both")
        try measure(.signOut, "scope session, by both tokens") {
            try kit.signOut(
                refreshToken: both.refresh.reveal(), scope: .session, signed(both))
        }
        let reused = try session(kit, of: "reused")
        _ = try kit.refresh(reused.refresh.reveal(), Self.caller)
        try measureRefusal(.signOut, "scope all, by a reused refresh token") {
            () throws(AuthError) in
            try kit.signOut(refreshToken: reused.refresh.reveal(), scope: .all, Self.caller)
        }
    }

    fileprivate func measureBearer() throws {
        let other = try session(kit, of: "bearers")
        let mine = try session(kit, of: "bearers")
        let caller = signed(mine)
        try measure(.me, "session alive", tripsMax: 1) {
            _ = try kit.auth.authenticate(caller, for: .me)
        }
        try measureRefusal(.me, "forged token", tripsMax: 0) { () throws(AuthError) in
            _ = try kit.authenticate("junk")
        }
        try measure(.listSessions, "two sessions") { _ = try kit.listSessions(caller) }
        try measure(.revokeSession, "session of one's own") {
            try kit.revokeSession(other.session.text, caller)
        }
        try measure(.credentials, "issued") { _ = try kit.credentials(.init(), caller) }
        try measure(.authorize, "session alive", tripsMax: 1) {
            _ = try kit.authorize(caller, mode: .required)
        }
        try measure(.authorize, "optional, without a token", tripsMax: 0) {
            _ = try kit.authorize(Self.caller, mode: .optional)
        }
    }

    fileprivate func measureHousekeeping() throws {
        // One query for each part of the outbox.
        try measure(.housekeeping, "no mail due", tripsMax: 8) {
            _ = try kit.auth.housekeeping(until: nil)
        }
        let mail = Mail(
            .resetPassword, to: "ada.lovelace@example.com", language: "en-GB,en;q=0.9,de;q=0.8",
            values: [
                "link": "https://app.example.com/reset?token=\(String(repeating: "x", count: 43))",
                "minutes": "30",
            ])
        let message = try kit.auth.mail.prepare(mail, auth: kit.auth, at: clock.now)
        try store.write([message.write])
        clock.advance(by: .minutes(1))
        try measure(.housekeeping, "one message due, claimed, sent, deleted", tripsMax: 10) {
            _ = try kit.auth.housekeeping(until: nil)
        }
    }

    fileprivate func measureKeys() throws {
        // Signing, verifying and publishing read the same keys.
        let cold = try Self.kit(clock, store, broker, seed: 999)
        try measure(.keySet, "first in a minute of the process", tripsMax: 1) {
            _ = try cold.publishKeys.keySet()
        }
        // Within the minute.
        clock.advance(by: .minutes(-1))
        try measure(.keySet, "later in the minute", tripsMax: 0) {
            _ = try cold.publishKeys.keySet()
        }
        try measure(.discovery, "always", tripsMax: 0) { _ = cold.publishKeys.discovery() }
    }
}

extension CostMeasurement {
    fileprivate func measurePasswords() throws {
        let caller = Self.caller
        let kit = try kit {
            $0.accounts.claimsEmail = true
            $0.passwords = Policy.passwords().passwords
            $0.links = Policy.passwords().links
            $0.limits = [
                RateLimit(.register, per: .address, 30, in: .hours(1)),
                RateLimit(.register, per: .email, 5, in: .hours(1)),
                RateLimit(.verifyEmail, per: .address, 30, in: .minutes(15)),
                RateLimit(.resendVerification, per: .address, 30, in: .hours(1)),
                RateLimit(.resendVerification, per: .email, 3, in: .hours(1)),
                RateLimit(.login, per: .address, 60, in: .minutes(1)),
                RateLimit(.login, per: .email, 10, in: .minutes(15)),
                RateLimit(.forgotPassword, per: .address, 30, in: .hours(1)),
                RateLimit(.forgotPassword, per: .email, 3, in: .hours(1)),
                RateLimit(.resetPassword, per: .address, 30, in: .minutes(15)),
                RateLimit(.changePassword, per: .account, 5, in: .minutes(15)),
            ]
        }
        let email = try kit.email("grace@example.com")
        let input = Register.Input(email: email, password: AuthKit.password)
        try measure(.register, "link mailed") { _ = try kit.auth.register(input, caller) }
        try measure(.resendVerification, "link mailed") {
            try kit.auth.resendVerification(email, caller)
        }
        kit.finishReply()
        let token = try kit.mailedToken()
        try measure(.verifyEmail, "account made") {
            _ = try kit.auth.verifyEmail(token: token, password: AuthKit.password, caller)
        }
        try measure(.register, "address taken") { _ = try kit.auth.register(input, caller) }
        let logIn = LogIn.Input(email: email, password: AuthKit.password)
        var tokens: SessionTokens?
        try measure(.login, "right password", tripsMax: 3) {
            tokens = try kit.auth.logIn(logIn, caller)
        }
        let wrong = LogIn.Input(email: email, password: "wrong password")
        try measureRefusal(.login, "wrong password", tripsMax: 3) { () throws(AuthError) in
            _ = try kit.auth.logIn(wrong, caller)
        }
        let unknown = LogIn.Input(email: try kit.email("x@example.com"), password: "password")
        try measureRefusal(.login, "unknown address", tripsMax: 3) { () throws(AuthError) in
            _ = try kit.auth.logIn(unknown, caller)
        }
        if let tokens {
            clock.advance(by: .minutes(-3))
            try measure(.changePassword, "changed") {
                _ = try kit.auth.changePassword(
                    current: AuthKit.password, new: "another password", signed(tokens))
            }
        }
        try measure(.forgotPassword, "link mailed", tripsMax: 3) {
            try kit.auth.forgotPassword(email, caller)
        }
        kit.finishReply()
        let reset = try kit.mailedToken()
        try measure(.resetPassword, "changed") {
            try kit.auth.resetPassword(token: reset, newPassword: AuthKit.password, caller)
        }
    }

    fileprivate func measureAdministration() throws {
        try measure(.adminLoginPage, "always", tripsMax: 0) {}
        var token = ""
        try measure(.adminLogin, "right password") {
            token = try kit.auth.adminLogin(
                password: "open sesame", replacing: nil, Self.caller
            ).token
        }
        try measureRefusal(.adminLogin, "wrong password") { () throws(AuthError) in
            _ = try kit.auth.adminLogin(password: "wrong", replacing: nil, Self.caller)
        }
        try measure(.adminLogout, "session alive", tripsMax: 1) {
            try kit.auth.adminLogout(token, Self.caller)
        }
        try measureUsers()
    }

    /// An administrator's token is verified first, which is a trip of its own; then comes the index
    /// or the account, then the accounts or the write.
    private func measureUsers() throws {
        let kit = try kit { $0.accounts.isListed = true }
        let mine = try session(kit, of: "administrator")
        let other = try session(kit, of: "listed").user.id.text
        _ = try kit.auth.administerUser(
            mine.user.id.text, .setAdmin(true), by: .password, Self.caller)
        let caller = signed(mine)
        func administrator(_ operation: AuthOperation) throws(AuthError) -> Administrator {
            .user(try kit.auth.authenticate(caller, for: operation).user)
        }
        try measure(.listUsers, "a page", tripsMax: 3) {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.all(limit: 50, after: nil)
        }
        try measure(.listUsers, "by e-mail address", tripsMax: 3) {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.users(withEmail: "ada@example.com")
        }
        try measure(.listUsers, "by id") {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.users(withID: other)
        }
        let changes: [(AuthOperation, AdministerUser.Change)] = [
            (.disableUser, .disable), (.enableUser, .enable), (.signOutUser, .signOut),
            (.setAdmin, .setAdmin(true)),
        ]
        for (operation, change) in changes {
            try measure(operation, "changed", tripsMax: 3) {
                _ = try kit.auth.administerUser(
                    other, change, by: try administrator(operation), Self.caller)
            }
        }
    }
}
