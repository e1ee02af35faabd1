import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import KeyValueStore
import Testing
import Time

@Suite("IssueCredentials") struct IssueCredentialsTests {
    let fake = FakeBroker()
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        let policy = Policy.testing.with {
            $0.rateLimits = [RateLimit(.credentials, per: .account, 30, in: .minutes(1))]
        }
        kit = try AuthKit(policy: policy, clock: clock, store: store)
    }

    private func issue(
        _ tokens: SessionTokens?, template: String = "users/{userId}/",
        _ change: (inout IssueCredentials.Input) -> Void = { _ in }
    ) throws -> StorageCredentials {
        let bucket = try #require(BucketName(parsing: "photos"))
        let operation = IssueCredentials(
            kit.ground, limiter: kit.limiter, authenticate: kit.authenticate,
            place: StoragePlace(
                bucket: bucket, region: "eu-central-1", partition: "aws",
                prefixTemplate: template, endpoint: nil), broker: fake.broker)
        var input = IssueCredentials.Input()
        change(&input)
        return try operation(input, RequestContext(bearer: tokens?.access.reveal()))
    }

    @Test func `a signed-in person gets keys to their own prefix, for an hour`() throws {
        let tokens = try kit.session()
        let issued = try issue(tokens)
        #expect(issued.prefix.text == "users/\(tokens.user.id.text)/")
        #expect(issued.keys.expiresAt == clock.now + .hours(1))
        let grant = try #require(fake.asked.first)
        #expect(grant.user == tokens.user.id.text && grant.lifetime == .hours(1))
        #expect(grant.policy.text.contains("users/\(tokens.user.id.text)/*"))
        #expect(try kit.audit(of: tokens.user.id).contains("credentialsIssued"))
    }

    @Test func `less may be asked for`() throws {
        let tokens = try kit.session()
        let issued = try issue(tokens) {
            $0.access = .read
            $0.prefix = "albums/7"
            $0.durationSeconds = 900
        }
        #expect(issued.prefix.text == "users/\(tokens.user.id.text)/albums/7/")
        #expect(issued.keys.expiresAt == clock.now + .minutes(15))
        #expect(fake.asked.first?.policy.text.contains("PutObject") == false)
    }

    static let durations: [Int64] = [.min, -900, -1, 0, 1, 899, 3601, 43_200, .max]

    @Test(arguments: durations) func `a time that STS or a chained role has not is refused`(
        seconds: Int64
    ) throws {
        let tokens = try kit.session()
        #expect(throws: Problem.durationRefused) {
            try issue(tokens) { $0.durationSeconds = seconds }
        }
        #expect(fake.asked.isEmpty)
    }

    static let prefixes = [
        "", "/", "..", "../other/", "*", "a*b", "${aws:userid}", "a//b", "a\u{0}", "é",
        String(repeating: "a", count: 600), String(repeating: "a/", count: 100),
    ]

    @Test(arguments: prefixes) func `a prefix that is not plain is refused before STS`(
        prefix: String
    ) throws {
        let tokens = try kit.session()
        #expect(throws: Problem.prefixRefused) { try issue(tokens) { $0.prefix = prefix } }
        #expect(fake.asked.isEmpty)
    }

    @Test func `another person's prefix is a folder in one's own`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        let issued = try issue(eve) { $0.prefix = "users/\(ada.user.id.text)/" }
        #expect(
            issued.prefix.text == "users/\(eve.user.id.text)/users/\(ada.user.id.text)/")
    }

    @Test func `without a live session there are no keys`() throws {
        let tokens = try kit.session()
        try kit.signOut(
            refreshToken: tokens.refresh.reveal(), scope: .session, RequestContext())
        #expect(throws: Problem.accessTokenRejected(.sessionEnded)) { try issue(tokens) }
        #expect(throws: Problem.accessTokenMissing) { try issue(nil) }
        let disabled = try kit.session()
        try kit.disable(disabled.user)
        #expect(throws: Problem.accountDisabled) { try issue(disabled) }
        #expect(fake.asked.isEmpty)
    }

    @Test func `what STS answers is said in our own words`() throws {
        let tokens = try kit.session()
        let rows: [(StorageFailure, Problem)] = [
            (.policyTooLarge, .policyTooLarge), (.refused, .storageRefused),
            (.unavailable, .unavailable(.storageCredentials)),
        ]
        for (failure, problem) in rows {
            fake.fail(failure)
            #expect(throws: problem) { try issue(tokens) }
        }
        #expect(try !kit.audit(of: tokens.user.id).contains("credentialsIssued"))
    }

    @Test func `a template that is none gives nothing`() throws {
        let tokens = try kit.session()
        for template in ["users/", "users/{userId}", "*/{userId}/"] {
            #expect(throws: Problem.prefixRefused) { try issue(tokens, template: template) }
        }
    }

    @Test func `an account has a limit, whatever its addresses`() throws {
        let tokens = try kit.session()
        for _ in 0..<30 { _ = try issue(tokens) }
        #expect(throws: Problem.self) { try issue(tokens) }
        #expect(fake.asked.count == 30)
        _ = try issue(try kit.session(of: "other"))
    }

    @Test func `keys that could not be noted are not given`() throws {
        let tokens = try kit.session()
        store.setFate { call in
            if case .write = call { return .refused(.unavailable(detail: "test")) }
            return .fine
        }
        #expect(throws: Problem.unavailable(.store)) { try issue(tokens) }
    }

    @Test func `keys do not print`() throws {
        let issued = try issue(try kit.session())
        var dumped = ""
        dump(issued, to: &dumped)
        for text in ["\(issued)", String(reflecting: issued), dumped] {
            #expect(!text.contains("secret key") && !text.contains("session token"))
        }
    }
}
