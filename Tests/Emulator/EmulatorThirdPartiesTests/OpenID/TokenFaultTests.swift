import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import IdentityProviders
import JOSE
import KeyValueStore

/// The result of the verifier in Latchkey's functions.
enum Verdict: Sendable, Equatable {
    case accepted(email: String?, isVerified: Bool)
    case refused(IdentityProviders.IdentityFailure)

    static let welcome = Verdict.accepted(email: "ada@example.com", isVerified: true)
}

extension IdentityServiceHarness {
    func verifier() -> IdentityVerifier {
        IdentityVerifier(
            keys: KeySetCache(
                store: MemoryStore(clock: environment.ports.clock), transport: transport,
                clock: environment.ports.clock, sleep: { _ in }))
    }

    func apple() throws -> ProviderConfiguration {
        try .apple(
            clientIDs: [IdentityServiceHarness.appleClient],
            issuer: "\(IdentityServiceHarness.base)/_idp/apple")
    }

    func google() throws -> ProviderConfiguration {
        try .google(
            clientIDs: [IdentityServiceHarness.googleClient],
            issuer: "\(IdentityServiceHarness.base)/_idp/google")
    }

    func acmeProvider() throws -> ProviderConfiguration {
        try .oidc(
            name: "acme", issuer: "\(IdentityServiceHarness.base)/_idp/acme",
            clientIDs: ["acme-client"])
    }

    func verdict(
        _ token: String, _ provider: ProviderConfiguration, nonce: String? = nil,
        by verifier: IdentityVerifier? = nil
    ) -> Verdict {
        do {
            let identity = try (verifier ?? self.verifier()).verify(
                idToken: token, provider: provider, nonce: .exactly(nonce), now: environment.now)
            return .accepted(email: identity.email, isVerified: identity.isEmailVerified)
        } catch {
            return .refused(error)
        }
    }
}

@Suite struct TokenFaultTests {
    private static let table: [(fault: String, google: Verdict, apple: Verdict?)] = [
        ("unknown-kid", .refused(.unknownKeyID), nil),
        ("missing-kid", .refused(.missingKeyID), nil),
        ("wrong-key", .refused(.invalidSignature), nil),
        ("own-key-in-header", .refused(.invalidSignature), nil),
        ("previous-key", .welcome, nil),
        ("alg-none", .refused(.invalidSignature), nil),
        ("hs256-with-public-key", .refused(.invalidSignature), nil),
        ("es256-with-wrong-key", .refused(.invalidSignature), nil),
        ("changed-payload", .refused(.invalidSignature), nil),
        ("changed-signature", .refused(.invalidSignature), nil),
        ("missing-signature", .refused(.invalidSignature), nil),
        ("crit-header", .refused(.invalidIDToken), nil),
        ("b64-header", .refused(.invalidIDToken), nil),
        ("wrong-type", .refused(.invalidIDToken), nil),
        ("padded", .refused(.invalidIDToken), nil),
        ("oversized", .refused(.invalidIDToken), nil),
        ("duplicate-member", .refused(.invalidIDToken), nil),
        ("not-json", .refused(.invalidIDToken), nil),
        ("five-parts", .refused(.invalidIDToken), nil),
        ("expired", .refused(.tokenExpired), nil),
        ("not-yet-valid", .refused(.tokenNotYetValid), nil),
        ("issued-in-future", .refused(.invalidIssuedAt), nil),
        ("too-old", .refused(.tokenTooOld), nil),
        ("missing-expiry", .refused(.invalidIDToken), nil),
        ("expiry-as-text", .refused(.invalidIDToken), nil),
        ("wrong-issuer", .refused(.invalidIssuer), nil),
        ("wrong-audience", .refused(.invalidAudience), nil),
        // With one audience the functions' verifier does not check azp.
        ("wrong-azp", .welcome, nil),
        // Google's azp names the client; Apple has none.
        ("several-audiences", .welcome, .refused(.invalidAudience)),
        ("missing-audience", .refused(.invalidAudience), nil),
        ("wrong-nonce", .refused(.nonceMismatch), nil),
        ("missing-nonce", .refused(.nonceMismatch), nil),
        ("missing-subject", .refused(.invalidSubject), nil),
        ("missing-email", .accepted(email: nil, isVerified: false), nil),
        ("email-verified-true", .welcome, nil),
        ("email-verified-text-true", .welcome, nil),
        ("email-verified-false", .accepted(email: "ada@example.com", isVerified: false), nil),
        ("email-verified-text-false", .accepted(email: "ada@example.com", isVerified: false), nil),
        ("email-verified-missing", .accepted(email: "ada@example.com", isVerified: false), nil),
    ]

    @Test(arguments: table.map(\.fault))
    func `a token with a fault gets the expected result`(fault: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let row = try #require(Self.table.first { $0.fault == fault })
        let body: JSON = ["fault": .string(fault), "nonce": "n-1"]
        let google = harness.verdict(
            try harness.mint("google", body), try harness.google(), nonce: "n-1")
        expectEqual(google, row.google)
        let apple = harness.verdict(
            try harness.mint("apple", body), try harness.apple(), nonce: "n-1")
        expectEqual(apple, row.apple ?? row.google)
    }

    @Test func `every fault has an expected result`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let names = try harness.get("/_idp/google/faults").json["token"]?.arrayValue?
            .compactMap { $0["name"]?.stringValue }
        expectEqual(names, Self.table.map(\.fault))
    }

    @Test(arguments: table.map(\.fault))
    func `faults work for issuers with other algorithms`(fault: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let row = try #require(Self.table.first { $0.fault == fault })
        let token = try harness.mint("acme", ["fault": .string(fault), "nonce": "n-1"])
        let verdict = harness.verdict(token, try harness.acmeProvider(), nonce: "n-1")
        // Without azp, as for Apple. An unpublished key is a wrong key for ES256 too.
        expectEqual(verdict, row.apple ?? row.google)
    }

    @Test func `a token without a fault is accepted from all three issuers`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        expectEqual(harness.verdict(try harness.mint("apple"), try harness.apple()), .welcome)
        expectEqual(harness.verdict(try harness.mint("google"), try harness.google()), .welcome)
        expectEqual(harness.verdict(try harness.mint("acme"), try harness.acmeProvider()), .welcome)
        let token = try harness.mint("apple", ["nonce": "n-1"])
        expectEqual(harness.verdict(token, try harness.apple(), nonce: "n-1"), .welcome)
        expectEqual(harness.verdict(token, try harness.apple()), .refused(.nonceMismatch))
    }

    @Test func `faults can be combined`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint(
            "acme", ["fault": ["missing-email", "email-verified-true", "expired"]])
        expectEqual(harness.verdict(token, try harness.acmeProvider()), .refused(.tokenExpired))
    }

    @Test func `Google's other issuer can be set with an override`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint("google", ["claims": ["iss": "accounts.google.com"]])
        expectEqual(harness.verdict(token, try harness.google()), .refused(.invalidIssuer))
    }
}
