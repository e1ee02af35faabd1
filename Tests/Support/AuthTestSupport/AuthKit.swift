package import AuthDomain
package import AuthOperations
import Bytes
import Cryptography
import IdentityProviders
package import JOSE
package import KeyValueStore
import Synchronization
package import Time

/// The real operations over a store of the test's choice, with a clock that only the test moves,
/// seeded randomness, and identity providers whose tokens are plain text.
package final class AuthKit: Sendable {
    package let clock: TestClock
    package let store: any KeyValueStore
    package let ground: Ground
    package let ring: KeyRing
    package let tokens: AccessTokens
    package let mint: RefreshTokenMint
    package let limiter: RateLimiter
    package let grants: GrantVault

    package init(
        policy: Policy = .testing, clock: TestClock = TestClock(),
        store: (any KeyValueStore)? = nil, ring: KeyRing? = nil, seed: UInt64 = 1
    ) throws {
        let random = RandomSource.seeded(seed)
        self.clock = clock
        self.store = store ?? MemoryStore(clock: clock.wall)
        ground = Ground(store: self.store, clock: clock.wall, random: random, policy: policy)
        self.ring = try ring ?? KeyRing(configured: [Self.signingKey])
        tokens = AccessTokens(ground, ring: self.ring, issuer: "https://auth.example.com")
        mint = RefreshTokenMint(
            key: SecretBytes([UInt8](repeating: 7, count: 32)), form: policy.refreshTokenForm)
        limiter = RateLimiter(ground)
        grants = GrantVault(
            sealing: try AESGCMKey(SecretBytes([UInt8](repeating: 9, count: 32))), random: random)
    }

    /// HS256, because a simulation signs a hundred thousand tokens.
    package static var signingKey: SigningKey {
        get throws {
            try SigningKey.secret(SecretBytes([UInt8](repeating: 42, count: 32)))
        }
    }

    package var challenge: IssueChallenge { IssueChallenge(ground, limiter: limiter) }
    package var authenticate: Authenticate { Authenticate(ground, tokens: tokens) }
    package var refresh: RefreshSession {
        RefreshSession(ground, limiter: limiter, tokens: tokens, mint: mint)
    }
    package var signOut: SignOut { SignOut(ground, limiter: limiter, authenticate: authenticate) }
    package var listSessions: ListSessions { ListSessions(ground, authenticate: authenticate) }
    package var revokeSession: RevokeSession { RevokeSession(ground, authenticate: authenticate) }

    package func signIn(_ desk: IdentityDesk = .plainText) -> SignIn {
        SignIn(
            ground, limiter: limiter, desk: desk, tokens: tokens, mint: mint, grants: grants)
    }

    /// Signs `subject` in with a token that has not been used before.
    package func session(
        of subject: String = "001", context: RequestContext = RequestContext()
    ) throws -> SessionTokens {
        let token = "apple|\(subject)|\(subject)@example.com|\(Hex.encode(ground.random.bytes(8)))"
        let output = try signIn()(SignIn.Input(provider: "apple", idToken: token), context)
        guard let tokens = output.tokens else { throw KitFailure.noSession }
        return tokens
    }

    package enum KitFailure: Error { case noSession }
}

/// A clock that stands still until a test moves it.
package final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    package init(_ start: Instant = Instant(seconds: 1_700_000_000)) { instant = Mutex(start) }

    package var now: Instant { instant.withLock { $0 } }
    package var wall: WallClock { WallClock { self.now } }

    package func advance(by span: Span) { instant.withLock { $0 = $0 + span } }
}

extension Policy {
    /// `latchkey` with HS256 and without limits.
    package static let testing = Policy(
        accessTokenLifetime: .minutes(15), idleLifetime: .days(30), absoluteLifetime: .days(365),
        grace: .seconds(60), reuseScope: .family, refreshTokenForm: .opaque(prefix: "lkr_"),
        accessToken: AccessTokenForm(
            algorithm: .hs256, type: "at+jwt", audience: "latchkey", carriesEmail: false),
        nonce: .issued, rateLimits: [])

    package func with(_ change: (inout Policy) -> Void) -> Policy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension IdentityDesk {
    /// Believes `provider|subject|email|serial`: the providers have tests of their own.
    package static let plainText = IdentityDesk(
        providers: ["apple", "google"],
        verify: { provider, token, _, now throws(IdentityFailure) in
            let parts = token.split(separator: "|", omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0] == provider else { throw .invalidIDToken }
            return VerifiedIdentity(
                provider: provider, issuer: "https://\(provider).example.com",
                subject: String(parts[1]), email: parts[2].isEmpty ? nil : String(parts[2]),
                isEmailVerified: true, isPrivateEmail: false, displayName: nil,
                realUserStatus: nil, transferSubject: nil, audience: "com.example.app",
                tokenFingerprint: SHA256.hash(Array(token.utf8)), tokenIssuedAt: now,
                tokenExpiresAt: now + .minutes(10), nonceWasChecked: true)
        })
}
