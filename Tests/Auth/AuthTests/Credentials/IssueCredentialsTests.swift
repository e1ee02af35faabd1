import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import KeyValueStore
import TestSupport
import Testing
import Time

@Suite("IssueCredentials") struct IssueCredentialsTests {
    let broker = FakeStorageBroker()
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try Self.kit(clock, store, storage: broker.services())
    }

    private static func kit(
        _ clock: TestClock, _ store: any KeyValueStore, storage: StorageServices
    ) throws -> AuthKit {
        let policy = Policy.testing.with {
            $0.limits = [RateLimit(.credentials, per: .account, 30, in: .minutes(1))]
        }
        return try AuthKit(policy: policy, clock: clock, store: store, storage: storage)
    }

    private func issue(
        _ tokens: SessionTokens?, prefix template: String? = nil,
        _ change: (inout IssueCredentials.Input) -> Void = { _ in }
    ) throws -> StorageCredentials {
        let kit = try template.map {
            try Self.kit(clock, store, storage: broker.services(prefix: $0))
        }
        var input = IssueCredentials.Input()
        change(&input)
        let caller = Caller(bearerText: tokens?.access.reveal())
        return try (kit ?? self.kit).credentials(input, caller)
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

    @Test func `a caller may request less`() throws {
        let tokens = try kit.session()
        let issued = try issue(tokens) {
            $0.access = .read
            $0.prefix = "albums/7"
            $0.durationSeconds = 900
        }
        expectEqual(issued.prefix.text, "users/\(tokens.user.id.text)/albums/7/")
        expectEqual(issued.keys.expiresAt, clock.now + .minutes(15))
        expectEqual(broker.asked.first?.policy.text.contains("PutObject"), false)
    }

    static let durations: [Int64] = [.min, -900, -1, 0, 1, 899, 3601, 43_200, .max]

    @Test(arguments: durations) func `a duration that STS or a chained role refuses is refused`(
        seconds: Int64
    ) throws {
        let tokens = try kit.session()
        #expect(throws: AuthError.storage(.durationRefused)) {
            try issue(tokens) { $0.durationSeconds = seconds }
        }
        #expect(broker.asked.isEmpty)
    }

    static let prefixes = [
        "", "/", "..", "../other/", "*", "a*b", "${aws:userid}", "a//b", "a\u{0}", "é",
        String(repeating: "a", count: 600), String(repeating: "a/", count: 100),
    ]

    @Test(arguments: prefixes) func `an invalid prefix is refused before STS is called`(
        prefix: String
    ) throws {
        let tokens = try kit.session()
        #expect(throws: AuthError.storage(.prefixRefused)) {
            try issue(tokens) { $0.prefix = prefix }
        }
        #expect(broker.asked.isEmpty)
    }

    @Test func `another user's prefix is interpreted relative to the user's own`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        let issued = try issue(eve) { $0.prefix = "users/\(ada.user.id.text)/" }
        expectEqual(issued.prefix.text, "users/\(eve.user.id.text)/users/\(ada.user.id.text)/")
    }

    @Test func `without an active session there are no credentials`() throws {
        let tokens = try kit.session()
        try kit.signOut(
            refreshToken: tokens.refresh.reveal(), scope: .session, Caller())
        #expect(throws: AuthError.accessToken(.sessionEnded)) { try issue(tokens) }
        #expect(throws: AuthError.accessToken(.missing)) { try issue(nil) }
        let disabled = try kit.session()
        try kit.disable(disabled.user)
        #expect(throws: AuthError.account(.disabled)) { try issue(disabled) }
        #expect(broker.asked.isEmpty)
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

    @Test func `a prefix template without a user segment is refused`() throws {
        let tokens = try kit.session()
        for template in ["users/", "users/{userId}", "*/{userId}/"] {
            #expect(throws: AuthError.storage(.prefixRefused)) {
                try issue(tokens, prefix: template)
            }
        }
    }

    @Test func `the rate limit is per account, whatever the address`() throws {
        let tokens = try kit.session()
        for _ in 0..<30 { _ = try issue(tokens) }
        #expect(throws: AuthError.self) { try issue(tokens) }
        expectEqual(broker.asked.count, 30)
        _ = try issue(try kit.session(of: "other"))
    }

    @Test func `credentials are not returned if the audit record cannot be written`() throws {
        let tokens = try kit.session()
        store.setFate { call in
            if case .write = call { return .refused(.unavailable(detail: "test")) }
            return .fine
        }
        #expect(throws: AuthError.unavailable(.store)) { try issue(tokens) }
    }

    @Test func `credentials do not print`() throws {
        let issued = try issue(try kit.session())
        var dumped = ""
        dump(issued, to: &dumped)
        for text in ["\(issued)", String(reflecting: issued), dumped] {
            #expect(!text.contains("secret key") && !text.contains("session token"))
        }
    }
}
