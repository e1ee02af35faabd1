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
