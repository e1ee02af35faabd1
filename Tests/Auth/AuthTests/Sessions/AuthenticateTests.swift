import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import Testing
import Time

@Suite("Authenticate") struct AuthenticateTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    @Test func `a live session is one read of session and person`() throws {
        let tokens = try kit.session()
        store.forgetCalls()
        let principal = try kit.authenticate(tokens.access.reveal())
        #expect(principal.user.id == tokens.user.id && principal.session.id == tokens.session)
        #expect(store.calls.count == 1)
    }

    @Test func `no bearer is missing, whatever else`() {
        #expect(throws: Problem.accessTokenMissing) { try kit.authenticate(nil) }
    }

    @Test func `a session that is gone ends its access token at once`() throws {
        let tokens = try kit.session()
        let other = try kit.session()
        try kit.revokeSession(
            tokens.session.text, RequestContext(bearer: other.access.reveal()))
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(tokens.access.reveal())
        }
        #expect(try kit.authenticate(other.access.reveal()).session.id == other.session)
    }

    @Test func `an epoch that has moved ends every token of the one before`() throws {
        let tokens = try kit.session()
        try kit.change(tokens.user.id) { $0.epoch += 1 }
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(tokens.access.reveal())
        }
        // Nor does a token of the new epoch revive a session of the old one.
        let user = try #require(try kit.user(tokens.user.id))
        let forged = try kit.tokens.signer(at: clock.now).issue(
            to: user, session: tokens.session, at: clock.now)
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(forged.reveal())
        }
    }

    @Test func `a token of another epoch is none of a living session`() throws {
        let tokens = try kit.session()
        for epoch in [Int64(-1), 1, .max] {
            var user = tokens.user
            user.epoch = epoch
            let other = try kit.tokens.signer(at: clock.now).issue(
                to: user, session: tokens.session, at: clock.now)
            #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
                try kit.authenticate(other.reveal())
            }
        }
    }

    @Test func `a session that is idle or old is over, though its token is young`() throws {
        let tokens = try kit.session()
        clock.advance(by: .days(30))
        let user = try #require(try kit.user(tokens.user.id))
        let young = try kit.tokens.signer(at: clock.now).issue(
            to: user, session: tokens.session, at: clock.now)
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(young.reveal())
        }
    }

    @Test func `a disabled person is told so, at once`() throws {
        let tokens = try kit.session()
        try kit.disable(tokens.user)
        #expect(throws: Problem.accountDisabled) { try kit.authenticate(tokens.access.reveal()) }
    }

    /// A refusal makes a client drop its session; an outage must not.
    @Test func `a store that fails is an outage and no refusal`() throws {
        let tokens = try kit.session()
        store.goDown()
        #expect(throws: Problem.unavailable(.store)) {
            try kit.authenticate(tokens.access.reveal())
        }
        store.comeBack()
        #expect(throws: Never.self) { try kit.authenticate(tokens.access.reveal()) }
    }

    @Test func `an unreadable row is a fault, never a default`() throws {
        let tokens = try kit.session()
        for key in [
            StoreLayout.session(tokens.session, of: tokens.user.id),
            StoreLayout.profile(tokens.user.id),
        ] {
            let item = try #require(try store.get(key))
            try store.write([.put(Item(key, ["epoch": .text("0")]), when: [])])
            #expect(throws: Problem.fault(.storedDataUnreadable)) {
                try kit.authenticate(tokens.access.reveal())
            }
            try store.write([.put(item, when: [])])
        }
    }

    @Test func `a token for another person's session opens nothing`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        let mixed = try kit.tokens.signer(at: clock.now).issue(
            to: eve.user, session: ada.session, at: clock.now)
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(mixed.reveal())
        }
    }
}

@Suite("Authorize") struct AuthorizeTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    private func verdict(
        _ mode: Authorize.Mode, _ bearer: String?
    ) throws(Problem) -> Authorize.Verdict {
        try Authorize(authenticate: kit.authenticate, mode: mode)(bearer: bearer)
    }

    @Test func `each mode lets in whom it says`() throws {
        let tokens = try kit.session()
        let bearer = tokens.access.reveal()
        let person = Authorize.Verdict.allowed(try kit.authenticate(bearer))
        #expect(try verdict(.required, bearer) == person)
        #expect(try verdict(.required, nil) == .refused(.accessTokenMissing))
        #expect(try verdict(.optional, bearer) == person)
        #expect(try verdict(.optional, nil) == .allowed(nil))
        #expect(try verdict(.admin, bearer) == .refused(.notPermitted))
        #expect(try verdict(.admin, nil) == .refused(.accessTokenMissing))
        try kit.change(tokens.user.id) { $0.isAdmin = true }
        guard case .allowed(let admin?) = try verdict(.admin, bearer) else {
            Issue.record("an administrator was refused")
            return
        }
        #expect(admin.user.isAdmin)
    }

    @Test func `a bad token is refused even where none is needed`() throws {
        let modes: [Authorize.Mode] = [.required, .optional, .admin]
        for mode in modes {
            #expect(try verdict(mode, "junk") == .refused(.accessTokenRejected(.malformed)))
        }
        let tokens = try kit.session()
        try kit.disable(tokens.user)
        for mode in modes {
            #expect(try verdict(mode, tokens.access.reveal()) == .refused(.accountDisabled))
        }
    }

    @Test func `an outage is thrown, so that no gateway remembers it`() throws {
        let bearer = try kit.session().access.reveal()
        store.goDown()
        for mode in [Authorize.Mode.required, .optional, .admin] {
            #expect(throws: Problem.unavailable(.store)) { try verdict(mode, bearer) }
        }
    }
}
