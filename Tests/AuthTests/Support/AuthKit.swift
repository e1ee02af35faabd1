import AuthDomain
import AuthOperations
import Bytes
import Cryptography
import IdentityProviders
import JOSE
import JSON
import KeyValueStore
import Synchronization
import Time

/// The real operations over a store of the test's choice, with a clock that only the test moves,
/// seeded randomness, and identity providers whose tokens are plain text.
final class AuthKit: Sendable {
    let clock: TestClock
    let store: any KeyValueStore
    let ground: Ground
    let ring: KeyRing
    let tokens: AccessTokens
    let mint: RefreshTokenMint
    let limiter: RateLimiter
    let grants: GrantVault

    init(
        policy: Policy = .testing, clock: TestClock = TestClock(),
        store: (any KeyValueStore)? = nil,
        seed: UInt64 = 1
    ) throws {
        let random = RandomSource.seeded(seed)
        self.clock = clock
        self.store = store ?? MemoryStore(clock: clock.wall)
        ground = Ground(store: self.store, clock: clock.wall, random: random, policy: policy)
        ring = KeyRing(configured: [try Self.signingKey])
        tokens = AccessTokens(ground, ring: ring, issuer: "https://auth.example.com")
        mint = RefreshTokenMint(
            key: SecretBytes([UInt8](repeating: 7, count: 32)), form: policy.refreshTokenForm)
        limiter = RateLimiter(ground)
        grants = GrantVault(
            sealing: try AESGCMKey(SecretBytes([UInt8](repeating: 9, count: 32))), random: random)
    }

    /// HS256, because a simulation signs a hundred thousand tokens.
    static var signingKey: SigningKey {
        get throws {
            try SigningKey.secret(SecretBytes([UInt8](repeating: 42, count: 32)))
        }
    }

    var challenge: IssueChallenge { IssueChallenge(ground, limiter: limiter) }
    var authenticate: Authenticate { Authenticate(ground, tokens: tokens) }
    var refresh: RefreshSession {
        RefreshSession(ground, limiter: limiter, tokens: tokens, mint: mint)
    }
    var signOut: SignOut { SignOut(ground, limiter: limiter, authenticate: authenticate) }
    var listSessions: ListSessions { ListSessions(ground, authenticate: authenticate) }
    var revokeSession: RevokeSession { RevokeSession(ground, authenticate: authenticate) }

    func signIn(_ desk: IdentityDesk = .plainText) -> SignIn {
        SignIn(
            ground, limiter: limiter, desk: desk, tokens: tokens, mint: mint, grants: grants)
    }

    /// Signs `subject` in with a token that has not been used before.
    func session(
        of subject: String = "001", context: RequestContext = RequestContext()
    ) throws -> SessionTokens {
        let token = "apple|\(subject)|\(subject)@example.com|\(Hex.encode(ground.random.bytes(8)))"
        let output = try signIn()(SignIn.Input(provider: "apple", idToken: token), context)
        guard let tokens = output.tokens else { throw KitFailure.noSession }
        return tokens
    }

    enum KitFailure: Error { case noSession }
}

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ start: Instant = Instant(seconds: 1_700_000_000)) { instant = Mutex(start) }

    var now: Instant { instant.withLock { $0 } }
    var wall: WallClock { WallClock { self.now } }

    func advance(by span: Span) { instant.withLock { $0 = $0 + span } }
}

extension Policy {
    /// `latchkey` with HS256 and without limits.
    static let testing = Policy(
        accessTokenLifetime: .minutes(15), idleLifetime: .days(30), absoluteLifetime: .days(365),
        grace: .seconds(60), reuseScope: .family, refreshTokenForm: .opaque(prefix: "lkr_"),
        accessToken: AccessTokenForm(
            algorithm: .hs256, type: "at+jwt", audience: "latchkey", carriesEmail: false),
        nonce: .issued, rateLimits: [])

    func with(_ change: (inout Policy) -> Void) -> Policy {
        var policy = self
        change(&policy)
        return policy
    }
}

extension IdentityDesk {
    /// Believes `provider|subject|email|serial`: the providers have tests of their own.
    static let plainText = IdentityDesk(
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
