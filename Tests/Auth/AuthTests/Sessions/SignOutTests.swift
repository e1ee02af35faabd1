@Suite("SignOut") struct SignOutTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore() }

    private func signOut(
        access: SessionTokens? = nil, refresh: String? = nil, _ scope: SignOut.Scope = .session
    ) throws(AuthError) {
        let caller = Caller(bearerText: access?.access.reveal())
        try kit.signOut(refreshToken: refresh, scope: scope, caller)
    }

    private func isAlive(_ tokens: SessionTokens) -> Bool {
        (try? kit.authenticate(tokens)) != nil
    }

    private func refreshed(_ token: String) throws(AuthError) -> SessionTokens {
        try kit.refresh(token, Caller())
    }

    /// Its answer would say that the others have ended.
    @Test(arguments: [SignOut.Scope.others, .all])
    func `a refresh token whose session has ended cannot end others`(scope: SignOut.Scope) throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try signOut(refresh: mine.refresh.reveal())
        for access in [nil, mine] {
            expectError(.refreshToken(.sessionEnded)) {
                try signOut(access: access, refresh: mine.refresh.reveal(), scope)
            }
        }
        #expect(isAlive(other))
    }

    /// A refresh token that has been replaced twice.
    private func reused(_ tokens: SessionTokens) throws -> String {
        _ = try refreshed(try refreshed(tokens.refresh.reveal()).refresh.reveal())
        return tokens.refresh.reveal()
    }

    private func reuses(_ tokens: SessionTokens) throws -> Int {
        try kit.audit(of: tokens.user.id).filter { $0 == "refreshTokenReused" }.count
    }

    /// Otherwise the owner's "sign out everywhere" would leave the thief's session active.
    @Test(arguments: [SignOut.Scope.others, .all])
    func `a reused refresh token ends its own session, and the others are refused`(
        scope: SignOut.Scope
    ) throws {
        let (mine, other) = (try kit.session(), try kit.session())
        let token = try reused(mine)
        expectError(.refreshToken(.reusedOlder)) { try signOut(refresh: token, scope) }
        #expect(!isAlive(mine) && isAlive(other))
        try expectEqual(reuses(mine), 1)
        expectError(.refreshToken(.sessionEnded)) { try signOut(refresh: token, scope) }
        #expect(isAlive(other))
        try expectEqual(reuses(mine), 1)
    }

    @Test func `signing out one session with a reused refresh token is a success`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try signOut(refresh: try reused(mine))
        #expect(!isAlive(mine) && isAlive(other))
        try expectEqual(reuses(mine), 1)
    }

    @Test func `the previous refresh token signs out everywhere within the grace period`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        _ = try refreshed(mine.refresh.reveal())
        try signOut(refresh: mine.refresh.reveal(), .all)
        #expect(!isAlive(mine) && !isAlive(other))
        let third = try kit.session()
        _ = try refreshed(third.refresh.reveal())
        kit.clock.advance(by: .seconds(60))
        let fourth = try kit.session()
        expectError(.refreshToken(.reusedPrevious)) {
            try signOut(refresh: third.refresh.reveal(), .all)
        }
        #expect(!isAlive(third) && isAlive(fourth))
    }

    /// A thief has the refresh token; the owner has signed out everywhere and in again.
    @Test func `a refresh token whose session has ended cannot end newer sessions`() throws {
        for scope in [SignOut.Scope.session, .others, .all] {
            let stolen = try kit.session().refresh.reveal()
            try signOut(access: try kit.session(), .all)
            let fresh = try kit.session()
            if scope == .others {
                expectError(.refreshToken(.sessionEnded)) { try signOut(refresh: stolen, scope) }
            } else {
                try signOut(refresh: stolen, scope)
            }
            #expect(isAlive(fresh), "\(scope)")
        }
    }

    /// A disabled user must be able to end sessions too.
    @Test func `a disabled user can end every session, with either token`() throws {
        for usesRefresh in [false, true] {
            let (mine, other) = (try kit.session(), try kit.session())
            try kit.disable(mine.user)
            if usesRefresh {
                try signOut(refresh: mine.refresh.reveal(), .all)
            } else {
                try signOut(access: mine, .all)
            }
            try kit.disable(mine.user, false)
            #expect(!isAlive(mine) && !isAlive(other))
        }
    }

    @Test(arguments: [SignOut.Scope.session, .others])
    func `a disabled user can end single sessions`(scope: SignOut.Scope) throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try kit.disable(mine.user)
        try signOut(refresh: mine.refresh.reveal(), scope)
        try kit.disable(mine.user, false)
        expectEqual(isAlive(mine), scope == .others)
        expectEqual(isAlive(other), scope == .session)
    }

    /// The same for a disabled user.
    @Test(arguments: [SignOut.Scope.session, .others, .all])
    func `a reused refresh token of a disabled user ends its session`(scope: SignOut.Scope) throws {
        let mine = try kit.session()
        let token = try reused(mine)
        try kit.disable(mine.user)
        try? signOut(refresh: token, scope)
        try kit.disable(mine.user, false)
        #expect(!isAlive(mine))
        try expectEqual(reuses(mine), 1)
    }

    @Test func `a valid bearer token ends everything, even with a reused refresh token`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try signOut(access: mine, refresh: try reused(mine), .all)
        #expect(!isAlive(mine) && !isAlive(other))
    }

    /// Both tokens name sessions to end.
    @Test(arguments: [SignOut.Scope.session, .others, .all])
    func `the bearer token of one user and the refresh token of another end both sessions`(
        scope: SignOut.Scope
    ) throws {
        let (ada, adaToo) = (try kit.session(of: "ada"), try kit.session(of: "ada"))
        let (eve, eveToo) = (try kit.session(of: "eve"), try kit.session(of: "eve"))
        try signOut(access: ada, refresh: eve.refresh.reveal(), scope)
        // The bearer token selects sessions of its own account; the refresh token ends its own
        // session.
        expectEqual(isAlive(ada), scope == .others)
        expectEqual(isAlive(adaToo), scope == .session)
        #expect(!isAlive(eve) && isAlive(eveToo))
    }

    @Test func `a reused refresh token of another user is audited and ends its session`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        try signOut(access: ada, refresh: try reused(eve), .all)
        #expect(!isAlive(ada) && !isAlive(eve))
        try expectEqual(reuses(eve), 1)
        try expectEqual(reuses(ada), 0)
    }

    @Test func `signing out the others can end more sessions than one transaction holds`() throws {
        let kit = try AuthKit(
            policy: .testing.with { $0.sessions.sessionsMax = 1000 }, clock: kit.clock,
            store: store)
        let mine = try kit.session()
        for _ in 0..<250 { _ = try kit.session() }
        try kit.signOut(refreshToken: nil, scope: .others, Caller(bearerText: mine.access.reveal()))
        try expectEqual(kit.sessions(of: mine.user.id).count, 1)
        #expect(isAlive(mine))
    }

    @Test func `every sign-out is audited`() throws {
        let mine = try kit.session()
        try signOut(access: mine, .others)
        try signOut(access: mine)
        let other = try kit.session()
        try signOut(access: other, .all)
        let events = try Set(kit.audit(of: mine.user.id))
        #expect(events.isSuperset(of: ["signedOut", "signedOutEverywhere", "accountCreated"]))
    }
}
