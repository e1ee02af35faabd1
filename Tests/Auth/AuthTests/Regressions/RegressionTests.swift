import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Cryptography
import Dispatch
import Foundation
import KeyValueStore
import SQLiteStore
import Synchronization
import Testing
import Time

/// Bugs that trusted systems have shipped, each as a test that fails when it comes back here.
@Suite("Regressions of others") struct RegressionTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    private func refresh(_ token: String) throws(Problem) -> SessionTokens {
        try kit.refresh(token, RequestContext())
    }

    /// CVE-2026-1035, keycloak#45647: the token was checked and then, apart from that, replaced.
    @Test func `two parallel refreshes do not both advance`() throws {
        let tokens = try kit.session()
        let kit = kit
        let answers = Mutex<Set<String>>([])
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            if let next = try? kit.refresh(tokens.refresh.reveal(), RequestContext()) {
                answers.withLock { _ = $0.insert(next.refresh.reveal()) }
            }
        }
        #expect(answers.withLock { $0.count } == 1)
        let session = try kit.sessions(of: tokens.user.id)
        #expect(session.map { $0.attributes["generation"] } == [.integer(1)])
    }

    /// CVE-2026-9802, keycloak#49426: the memory of what was used did not survive a restart.
    @Test func `a restart forgets no rotation`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("state.db").path
        func restarted(seed: UInt64) throws -> AuthKit {
            try AuthKit(
                clock: clock, store: SQLiteStore(path: path, clock: clock.wall), seed: seed)
        }
        let first = try restarted(seed: 1).session().refresh.reveal()
        let second = try restarted(seed: 2).refresh(first, RequestContext()).refresh.reveal()
        clock.advance(by: .minutes(2))
        #expect(throws: Problem.refreshTokenRejected(.reusedPrevious)) {
            try restarted(seed: 3).refresh(first, RequestContext())
        }
        #expect(throws: Problem.refreshTokenRejected(.ended)) {
            try restarted(seed: 4).refresh(second, RequestContext())
        }
    }

    /// keycloak#50999: times were compared in whole seconds, and within one second the old token
    /// passed for the new one.
    @Test func `in one instant of the clock every generation is told from every other`() throws {
        let first = try kit.session().refresh.reveal()
        let second = try refresh(first).refresh.reveal()
        _ = try refresh(second)
        #expect(throws: Problem.refreshTokenRejected(.reusedOlder)) { try refresh(first) }
        // And a clock that runs backwards makes nothing young again.
        let other = try kit.session().refresh.reveal()
        let next = try refresh(other).refresh.reveal()
        _ = try refresh(next)
        clock.advance(by: .days(-1))
        #expect(throws: Problem.refreshTokenRejected(.reusedOlder)) { try refresh(other) }
    }

    /// keycloak#51312: a refresh wrote the session back that a revocation had just removed.
    @Test func `a refresh that interleaves with a revocation does not survive it`() throws {
        for scope in [SignOut.Scope.session, .all] {
            let tokens = try kit.session()
            let behind = kit
            let isDone = Mutex(false)
            store.setFate { call in
                // After the refresh has read, before it writes.
                guard case .write(let writes) = call, writes.count == 3,
                    !isDone.withLock({ was in
                        defer { was = true }
                        return was
                    })
                else { return .fine }
                try? behind.signOut(
                    refreshToken: tokens.refresh.reveal(), scope: scope, RequestContext())
                return .fine
            }
            #expect(throws: Problem.refreshTokenRejected(.ended)) {
                try refresh(tokens.refresh.reveal())
            }
            store.comeBack()
            #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
                try kit.authenticate(tokens.access.reveal())
            }
        }
    }

    /// CVE-2026-4325, keycloak#47715: one namespace for everything that is used once.
    @Test func `what is spent in one kind is not spent, and not fresh, in another`() throws {
        let text = "the same text everywhere"
        let hash = SHA256.hash(Array(text.utf8))
        let keys = [
            StoreLayout.challenge(nonce: text), StoreLayout.spentIdentityToken(fingerprint: hash),
            StoreLayout.refreshToken(hash: hash),
            StoreLayout.identity(issuer: text, subject: text),
        ]
        #expect(Set(keys.map(\.partition)).count == keys.count)
        // A nonce that was consumed does not come back as an unused one.
        let nonce = try kit.challenge(RequestContext()).nonce
        let fake = FakeDesk()
        for token in ["one", "two"] { fake.add(token, FakeIdentity { $0.nonce = nonce }) }
        func signIn(_ token: String) throws(Problem) {
            _ = try kit.signIn(fake.desk)(
                SignIn.Input(provider: "apple", idToken: token, nonce: nonce), RequestContext())
        }
        try signIn("one")
        #expect(throws: Problem.challengeUnknown) { try signIn("two") }
    }

    /// GHSA-wv3h-x6c4-r867, supabase/auth#2642: disabled people got tokens, or kept them.
    @Test func `a disabled person gets no tokens and keeps none`() throws {
        let tokens = try kit.session()
        try kit.disable(tokens.user)
        #expect(throws: Problem.accountDisabled) { try refresh(tokens.refresh.reveal()) }
        #expect(throws: Problem.accountDisabled) { try kit.authenticate(tokens.access.reveal()) }
        #expect(throws: Problem.accountDisabled) { try kit.session() }
    }

    /// CVE-2026-16103, keycloak#50996: looked at when the request began and not when it ended.
    @Test func `who is disabled during a refresh gets no tokens`() throws {
        let tokens = try kit.session()
        let kit = kit
        let isDone = Mutex(false)
        store.setFate { call in
            guard case .write(let writes) = call, writes.count == 3,
                !isDone.withLock({ was in
                    defer { was = true }
                    return was
                })
            else { return .fine }
            try? kit.disable(tokens.user)
            return .fine
        }
        #expect(throws: Problem.accountDisabled) { try refresh(tokens.refresh.reveal()) }
    }

    /// django-oauth-toolkit#1617: the grace window let in tokens of several generations ago.
    @Test func `the window lets in the token before and none older`() throws {
        var held = [try kit.session().refresh.reveal()]
        for _ in 0..<4 { held.append(try refresh(held[held.count - 1]).refresh.reveal()) }
        #expect(try refresh(held[3]).refresh.reveal() == held[4])
        #expect(throws: Problem.refreshTokenRejected(.reusedOlder)) { try refresh(held[2]) }
        #expect(throws: Problem.refreshTokenRejected(.ended)) { try refresh(held[4]) }
    }

    /// django-oauth-toolkit#702: in its window the spent token was answered with itself.
    @Test func `the window answers with the successor and never with the spent token`() throws {
        let first = try kit.session().refresh.reveal()
        let second = try refresh(first).refresh.reveal()
        for _ in 0..<5 {
            clock.advance(by: .seconds(10))
            #expect(try refresh(first).refresh.reveal() == second)
        }
        #expect(second != first)
    }

    /// better-auth, token.ts: the family was deleted while a member was being added.
    @Test func `a family that is revoked while it advances is gone as a whole`() throws {
        let first = try kit.session()
        let second = try refresh(first.refresh.reveal())
        let third = try refresh(second.refresh.reveal())
        let kit = kit
        let isDone = Mutex(false)
        store.setFate { call in
            guard case .write(let writes) = call, writes.count == 3,
                !isDone.withLock({ was in
                    defer { was = true }
                    return was
                })
            else { return .fine }
            // The reuse of the oldest is seen while the newest is about to advance.
            _ = try? kit.refresh(first.refresh.reveal(), RequestContext())
            return .fine
        }
        #expect(throws: Problem.refreshTokenRejected(.ended)) {
            try refresh(third.refresh.reveal())
        }
        store.comeBack()
        #expect(try kit.sessions(of: first.user.id).isEmpty)
        for tokens in [first, second, third] {
            #expect(throws: Problem.refreshTokenRejected(.ended)) {
                try refresh(tokens.refresh.reveal())
            }
        }
    }

    /// Vault-Web/vault-web#260: spent tokens were looked up among active ones, so nobody saw that
    /// they were used again. Here also: long after the idle time of their own generation.
    @Test func `a spent token is known for as long as its family can live`() throws {
        let first = try kit.session()
        // A thief keeps the family alive while the owner is away.
        var held = try refresh(first.refresh.reveal()).refresh.reveal()
        for _ in 0..<12 {
            clock.advance(by: .days(29))
            held = try refresh(held).refresh.reveal()
        }
        #expect(throws: Problem.refreshTokenRejected(.reusedOlder)) {
            try refresh(first.refresh.reveal())
        }
        #expect(throws: Problem.refreshTokenRejected(.ended)) { try refresh(held) }
        #expect(try kit.audit(of: first.user.id).contains("refreshTokenReused"))
    }

    /// artifact-keeper#1811: signing out forgot the token on the device and ended nothing.
    @Test func `signing out ends the session in the store, not on the device`() throws {
        let tokens = try kit.session()
        try kit.signOut(
            refreshToken: nil, scope: .session,
            RequestContext(bearer: tokens.access.reveal()))
        #expect(throws: Problem.refreshTokenRejected(.ended)) {
            try refresh(tokens.refresh.reveal())
        }
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) {
            try kit.authenticate(tokens.access.reveal())
        }
        #expect(try kit.sessions(of: tokens.user.id).isEmpty)
    }
}
