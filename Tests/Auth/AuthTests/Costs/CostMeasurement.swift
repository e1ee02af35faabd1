import AuthDomain
import AuthOperations
import AuthTestSupport
import Cryptography
import JOSE
import KeyValueStore
import Time

/// Performs operations on a counting store and records the cost of each.
final class CostMeasurement {
    private(set) var rows: [MeasuredCost] = []
    let clock = TestClock()
    let store: CountingStore
    let fake = FakeIdentityProviders()
    let broker = FakeStorageBroker()
    let kit: AuthKit
    /// Processes that have already read their signing keys.
    var warm: [AuthKit] = []
    var serial: UInt64 = 0

    static let address = "2001:db8:0:1::1"
    static let caller = Caller(
        address: address,
        userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15")

    init() throws {
        store = CountingStore(MemoryStore(clock: clock.wall))
        kit = try Self.kit(clock, store, broker)
        warm = [kit]
    }

    static func kit(
        _ clock: TestClock, _ store: CountingStore, _ broker: FakeStorageBroker,
        seed: UInt64 = 1, _ change: (inout Policy) -> Void = { _ in }
    ) throws -> AuthKit {
        let policy = Policy.testing.with {
            $0.accessTokens.algorithm = .es256
            $0.accessTokens.includesKeyID = true
            $0.accounts = AccountPolicy(claimsEmail: true, followsProvider: true, isListed: true)
            // The standard limits (Contracts/Shared/StandardRateLimits.swift).
            $0.limits = [
                RateLimit(.challenge, per: .address, 60, in: .minutes(1)),
                RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
                RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
                RateLimit(.refresh, per: .address, 300, in: .minutes(1)),
                RateLimit(.refresh, per: .session, 120, in: .minutes(1)),
                RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
                RateLimit(.credentials, per: .account, 30, in: .minutes(1)),
                RateLimit(.adminLogin, per: .address, 5, in: .minutes(15)),
                RateLimit(.adminLogin, per: .overall, 50, in: .minutes(15)),
            ]
            change(&$0)
        }
        let sealing = try AESGCMKey(try AuthKit.masterKey().signingKeys)
        return try AuthKit(
            policy: policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256, sealing: sealing)),
            storage: broker.services(), seed: seed)
    }

    /// A process with another policy on the same store.
    func kit(_ change: (inout Policy) -> Void) throws -> AuthKit {
        serial += 1
        let kit = try Self.kit(clock, store, broker, seed: 1000 + serial, change)
        warm.append(kit)
        return kit
    }

    func measure(
        _ operation: AuthOperation, _ situation: String, tripsMax: Int = 2,
        on other: CountingStore? = nil, _ body: () throws -> Void
    ) throws {
        let store = other ?? store
        // Each in its own rate limit window, so that no limit is reached.
        clock.advance(by: .minutes(1))
        for kit in warm { _ = try kit.auth.signingKeys.signingKey(at: clock.now) }
        store.forget()
        try body()
        rows.append(
            MeasuredCost(
                operation: operation.name, situation: situation, cost: store.cost,
                tripsMax: tripsMax))
    }

    /// The same for an operation that must be refused.
    func measureRefusal(
        _ operation: AuthOperation, _ situation: String, tripsMax: Int = 2,
        _ body: () throws(AuthError) -> Void
    ) throws {
        var error: AuthError?
        try measure(operation, situation, tripsMax: tripsMax) {
            do throws(AuthError) { try body() } catch let refusal { error = refusal }
        }
        guard error != nil else { throw NotRefused(situation: situation) }
    }

    struct NotRefused: Error { let situation: String }

    /// A sign-in with a token that has not been used before.
    func input(
        _ subject: String, nonce: String? = nil, email: String? = nil
    ) -> SignIn.Input {
        serial += 1
        let token = "token \(serial)"
        fake.add(
            token,
            FakeIdentity {
                $0.subject = subject
                $0.nonce = nonce
                $0.email = email ?? "\(subject)@example.com"
            })
        var input = SignIn.Input(provider: "apple", idToken: token, nonce: nonce)
        input.device = DeviceClaim(name: "Ada's iPhone", system: "iOS 18.0")
        return input
    }

    func session(_ kit: AuthKit, of subject: String) throws -> SessionTokens {
        clock.advance(by: .minutes(1))
        let output = try kit.signIn(fake.gateway)(input(subject), Self.caller)
        guard let tokens = output.tokens else { throw AuthKit.KitFailure.noSession }
        return tokens
    }

    func signed(_ tokens: SessionTokens) -> Caller {
        Caller(
            address: Self.address, userAgent: Self.caller.userAgent,
            bearerText: tokens.access.reveal())
    }
}
