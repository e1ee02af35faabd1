import AuthTestSupport
import TestSupport

@Suite("IssueCredentials") struct IssueCredentialsTests {
    let broker = FakeStorageBroker()
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store, storage: broker.services())
    }

    private func issue(_ tokens: SessionTokens) throws -> StorageCredentials {
        try kit.credentials(IssueCredentials.Input(), Caller(bearerText: tokens.access.reveal()))
    }

    @Test func `a signed-in user gets credentials for their own prefix, for an hour`() throws {
        let tokens = try kit.session()
        let issued = try issue(tokens)
        expectEqual(issued.prefix.text, "users/\(tokens.user.id.text)/")
        expectEqual(issued.keys.expiresAt, clock.now + .hours(1))
        let grant = try #require(broker.asked.first)
        #expect(grant.user == tokens.user.id.text && grant.lifetime == .hours(1))
        #expect(grant.policy.text.contains("users/\(tokens.user.id.text)/*"))
        #expect(try kit.audit(of: tokens.user.id).contains("credentialsIssued"))
    }

    @Test func `each STS error is mapped to an AuthError`() throws {
        let tokens = try kit.session()
        let rows: [(StorageFailure, AuthError)] = [
            (.policyTooLarge, .storage(.policyTooLarge)), (.refused, .storage(.refused)),
            (.unavailable, .unavailable(.storageCredentials)),
        ]
        for (failure, problem) in rows {
            broker.fail(failure)
            #expect(throws: problem) { try issue(tokens) }
        }
        #expect(try !kit.audit(of: tokens.user.id).contains("credentialsIssued"))
    }

    @Test func `credentials are not returned if the audit record cannot be written`() throws {
        let tokens = try kit.session()
        store.setFate { call in
            if case .write = call { return .refused(.unavailable(detail: "test")) }
            return .fine
        }
        expectError(.unavailable(.store)) { try issue(tokens) }
    }

    @Test func `printing credentials does not reveal them`() throws {
        let issued = try issue(try kit.session())
        var dumped = ""
        dump(issued, to: &dumped)
        for text in ["\(issued)", String(reflecting: issued), dumped] {
            #expect(!text.contains("secret key") && !text.contains("session token"))
        }
    }
}
