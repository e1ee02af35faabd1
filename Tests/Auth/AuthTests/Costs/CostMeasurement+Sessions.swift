import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Cryptography
import JOSE
import KeyValueStore
import Time

extension CostMeasurement {
    func measureSignIn() throws {
        var nonce = ""
        try measure(.challenge, "nonce issued") { nonce = try kit.challenge(Self.caller).nonce }

        func signIn(_ kit: AuthKit, _ input: SignIn.Input) throws(AuthError) {
            _ = try kit.signIn(fake.gateway)(input, Self.caller)
        }
        try measure(.signIn, "new account") { try signIn(kit, input("1")) }
        try measure(.signIn, "new account, with a nonce") {
            try signIn(kit, input("2", nonce: nonce))
        }
        let numbered = try kit { $0.accounts.hasPublicID = true }
        try measure(.signIn, "new account with an integer id", tripsMax: 3) {
            try signIn(numbered, input("3"))
        }
        try measure(.signIn, "known account", tripsMax: 3) { try signIn(kit, input("1")) }
        let moving = kit.services(with: fake.gateway)
        try measure(.signIn, "known account, new e-mail address", tripsMax: 3) {
            _ = try moving.signIn(input("1", email: "new@example.com"), Self.caller)
        }
        _ = try moving.signIn(input("1"), Self.caller)
        moving.afterReply.run(until: nil)
        let one = try kit { $0.sessions.sessionsMax = 3 }
        try measure(.signIn, "known account, ends one session of four", tripsMax: 3) {
            try signIn(one, input("1"))
        }
        let used = input("4")
        try signIn(kit, used)
        try measureRefusal(.signIn, "identity token already used", tripsMax: 3) {
            () throws(AuthError) in try signIn(kit, used)
        }
        try measureRefusal(.signIn, "identity token rejected") {
            () throws(AuthError) in
            try signIn(kit, SignIn.Input(provider: "apple", idToken: "junk"))
        }
        try measure(.signIn, "known account, storage credentials and no session", tripsMax: 3) {
            _ = try kit.services(with: fake.gateway).signInForStorage(input("1"), Self.caller)
        }
    }

    func measureRefresh() throws {
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
        // Reuse is rare, and reads the end of the audit chain only then.
        try measureRefusal(.refresh, "reused token", tripsMax: 3) { () throws(AuthError) in
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
        try measureRefusal(
            .refresh, "reused token, ends every session of the user", tripsMax: 3
        ) { () throws(AuthError) in _ = try refresh(wide, stolen)
        }

        let lasting = try kit { $0.sessions.rotation = .never }
        let kept = try session(lasting, of: "lasting").refresh.reveal()
        try measure(.refresh, "without rotation") { _ = try refresh(lasting, kept) }

        let opaque = try kit { $0.sessions.refreshTokens = .opaque(prefix: "lkr_") }
        let found = try session(opaque, of: "opaque").refresh.reveal()
        try measure(.refresh, "token found by its hash (opaque or UUID)", tripsMax: 3) {
            _ = try refresh(opaque, found)
        }
        try measureRefusal(.refresh, "reused token found by its hash", tripsMax: 4) {
            () throws(AuthError) in _ = try refresh(opaque, found)
        }
    }

    func measureSignOut() throws {
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

    func measureBearer() throws {
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

    func measureHousekeeping() throws {
        // One query for each part of the outbox.
        try measure(.housekeeping, "no mail due", tripsMax: 9) {
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
        try measure(.housekeeping, "one message due, claimed, sent, deleted", tripsMax: 11) {
            _ = try kit.auth.housekeeping(until: nil)
        }
    }

    func measureMasterKey() throws {
        let counting = CountingStore(MemoryStore(clock: clock.wall))
        let old = try AuthKit(clock: clock, store: counting, master: try AuthKit.masterKey(1))
        let user = try old.session().user.id
        try counting.write(
            try old.auth.providerTokens.keep(.apple("token"), of: user))
        _ = try old.auth.housekeeping([.replaceMasterKey], until: nil)
        try measure(.housekeeping, "no master key replaced", tripsMax: 1, on: counting) {
            _ = try old.auth.housekeeping([.replaceMasterKey], until: nil)
        }
        var master = try AuthKit.masterKey(2)
        master.previous = [try AuthKit.masterKey(1)]
        let kit = try AuthKit(clock: clock, store: counting, master: master)
        // Since when, in two; one query for each part of the index; the row, in two.
        try measure(
            .housekeeping, "a master key replaced, one row left", tripsMax: 12, on: counting
        ) {
            _ = try kit.auth.housekeeping([.replaceMasterKey], until: nil)
        }
    }

    func measureAuditHeads() throws {
        // The ends of three chains, and a part of all of them.
        try measure(.housekeeping, "ends of the audit log logged", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.logAuditHeads], until: nil)
        }
        try measure(.housekeeping, "its end noted", tripsMax: 1) {
            _ = try kit.auth.housekeeping([.noteRun], until: nil)
        }
    }

    func measureVerification() throws {
        // One query for each part of the heads and for each chain, and the chains by their events.
        let kit = try AuthKit(clock: clock, store: CountingStore(MemoryStore(clock: clock.wall)))
        guard let counting = kit.store as? CountingStore else { return }
        _ = try kit.session()
        try measure(.verifyAudit, "one chain of one event", tripsMax: 67, on: counting) {
            _ = try kit.auth.verifyAudit(after: nil, until: nil)
        }
    }

    func measureKeys() throws {
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
        let kid = try cold.auth.signingKeys.signingKey(at: clock.now).kid
        try measure(.rotateKeys, "next key made", tripsMax: 3) {
            _ = try cold.auth.rotateKeys(Self.caller)
        }
        try measure(.retireKey, "key that signs", tripsMax: 3) {
            _ = try cold.auth.rotateKeys(retiring: kid, Self.caller)
        }
        try measure(.discovery, "always", tripsMax: 0) { _ = cold.publishKeys.discovery() }
    }
}
