import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Testing
import Time

@Suite("SignOut") struct SignOutTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    private func signOut(
        access: SessionTokens? = nil, refresh: String? = nil, _ scope: SignOut.Scope = .session
    ) throws(Problem) {
        let context = RequestContext(bearer: access?.access.reveal())
        try kit.signOut(refreshToken: refresh, scope: scope, context)
    }

    private func isAlive(_ tokens: SessionTokens) -> Bool {
        (try? kit.authenticate(tokens.access.reveal())) != nil
    }

    private func refreshed(_ token: String) throws(Problem) -> SessionTokens {
        try kit.refresh(token, RequestContext())
    }

    @Test func `each scope ends its sessions and no other, by either token`() throws {
        for usesRefresh in [false, true] {
            for scope in [SignOut.Scope.session, .others, .all] {
                let (mine, other) = (try kit.session(), try kit.session())
                let stranger = try kit.session(of: "stranger")
                if usesRefresh {
                    try signOut(refresh: mine.refresh.reveal(), scope)
                } else {
                    try signOut(access: mine, scope)
                }
                #expect(isAlive(mine) == (scope == .others), "\(scope)")
                #expect(isAlive(other) == (scope == .session), "\(scope)")
                #expect(isAlive(stranger))
                for dead in [mine, other] where !isAlive(dead) {
                    #expect(throws: Problem.refreshTokenRejected(.ended)) {
                        try refreshed(dead.refresh.reveal())
                    }
                }
            }
        }
    }

    @Test func `nobody has to prove anything to hear that an unknown token is over`() throws {
        // RFC 7009 section 2.2.
        let junk = ["", "junk", "lkr_" + String(repeating: "A", count: 43), "v1.x"]
        for token in junk {
            for scope in [SignOut.Scope.session, .others, .all] {
                #expect(throws: Never.self) { try signOut(refresh: token, scope) }
            }
        }
    }

    @Test func `without any token there is nobody to sign out`() {
        #expect(throws: Problem.accessTokenMissing) { try signOut() }
        #expect(throws: Problem.accessTokenMissing) { try signOut(.all) }
    }

    @Test func `an expired client signs out by its refresh token`() throws {
        let mine = try kit.session()
        clock.advance(by: .hours(1))
        #expect(throws: Problem.accessTokenRejected(.expired)) { try signOut(access: mine) }
        try signOut(access: mine, refresh: mine.refresh.reveal())
        #expect(throws: Problem.refreshTokenRejected(.ended)) {
            try refreshed(mine.refresh.reveal())
        }
    }

    @Test func `an unknown refresh token leaves the bearer to decide`() throws {
        let mine = try kit.session()
        try signOut(access: mine, refresh: "junk")
        #expect(!isAlive(mine))
        let context = RequestContext(bearer: "junk")
        #expect(throws: Problem.accessTokenRejected(.malformed)) {
            try kit.signOut(refreshToken: "junk", scope: .session, context)
        }
    }

    @Test func `signing out twice succeeds twice`() throws {
        let mine = try kit.session()
        for _ in 0..<2 { try signOut(access: mine) }
        let other = try kit.session()
        for scope in [SignOut.Scope.session, .all, .session, .all] {
            try signOut(refresh: other.refresh.reveal(), scope)
            try signOut(access: other, refresh: other.refresh.reveal(), scope)
        }
        #expect(!isAlive(other))
    }

    @Test func `a bearer whose session is over does not speak for the others`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try signOut(access: mine)
        for scope in [SignOut.Scope.others, .all] {
            #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
                try signOut(access: mine, scope)
            }
        }
        #expect(isAlive(other))
    }

    @Test func `a spent refresh token ends its own session and no other`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        let spent = mine.refresh.reveal()
        let next = try refreshed(spent)
        _ = try refreshed(next.refresh.reveal())
        for scope in [SignOut.Scope.others, .all] {
            #expect(throws: Problem.refreshTokenRejected(.reusedOlder)) {
                try signOut(refresh: spent, scope)
            }
        }
        #expect(isAlive(mine) && isAlive(other))
        try signOut(refresh: spent)
        #expect(!isAlive(mine) && isAlive(other))
    }

    @Test func `a token whose successor got lost still signs out everywhere in its window`() throws
    {
        let (mine, other) = (try kit.session(), try kit.session())
        _ = try refreshed(mine.refresh.reveal())
        try signOut(refresh: mine.refresh.reveal(), .all)
        #expect(!isAlive(mine) && !isAlive(other))
        let third = try kit.session()
        _ = try refreshed(third.refresh.reveal())
        clock.advance(by: .seconds(60))
        #expect(throws: Problem.refreshTokenRejected(.reusedPrevious)) {
            try signOut(refresh: third.refresh.reveal(), .all)
        }
    }

    /// The thief keeps the refresh token; the owner has signed out everywhere and in again.
    @Test func `a refresh token whose session is over cannot end the sessions since`() throws {
        for scope in [SignOut.Scope.session, .others, .all] {
            let stolen = try kit.session().refresh.reveal()
            try signOut(access: try kit.session(), .all)
            let fresh = try kit.session()
            try signOut(refresh: stolen, scope)
            #expect(isAlive(fresh), "\(scope)")
        }
    }

    @Test func `a disabled person's token ends its own session only`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try kit.disable(mine.user)
        try signOut(refresh: mine.refresh.reveal(), .all)
        try signOut(refresh: mine.refresh.reveal())
        try kit.disable(mine.user, false)
        #expect(!isAlive(mine) && isAlive(other))
    }

    @Test func `a good bearer decides where the refresh token beside it is spent`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        let spent = mine.refresh.reveal()
        let next = try refreshed(spent)
        _ = try refreshed(next.refresh.reveal())
        try signOut(access: mine, refresh: spent, .all)
        #expect(!isAlive(mine) && !isAlive(other))
    }

    @Test func `two sessions named together both end`() throws {
        let (mine, other, third) = (try kit.session(), try kit.session(), try kit.session())
        try signOut(access: mine, refresh: other.refresh.reveal())
        #expect(!isAlive(mine) && !isAlive(other) && isAlive(third))
    }

    @Test func `a store that fails is an outage, and nothing is called a success`() throws {
        let mine = try kit.session()
        store.goDown()
        #expect(throws: Problem.unavailable(.store)) { try signOut(access: mine) }
        #expect(throws: Problem.unavailable(.store)) {
            try signOut(access: mine, refresh: mine.refresh.reveal())
        }
        #expect(throws: Problem.unavailable(.store)) {
            try signOut(refresh: mine.refresh.reveal(), .all)
        }
        store.comeBack()
        #expect(isAlive(mine))
    }

    @Test func `ending others ends more of them than fit into one transaction`() throws {
        let mine = try kit.session()
        for _ in 0..<250 { _ = try kit.session() }
        try signOut(access: mine, .others)
        #expect(try kit.sessions(of: mine.user.id).count == 1)
        #expect(isAlive(mine))
    }

    @Test func `what was ended is in the audit trail`() throws {
        let mine = try kit.session()
        try signOut(access: mine, .others)
        try signOut(access: mine)
        let other = try kit.session()
        try signOut(access: other, .all)
        let events = try Set(kit.audit(of: mine.user.id))
        #expect(events.isSuperset(of: ["signedOut", "signedOutEverywhere", "accountCreated"]))
    }
}
