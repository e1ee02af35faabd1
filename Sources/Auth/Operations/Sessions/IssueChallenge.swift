internal import Cryptography
internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// Issues a one-time nonce: the app gives it to the identity provider, the provider puts it into
/// the identity token, and sign-in consumes it. A stolen token is then worth nothing twice.
package struct IssueChallenge: Sendable {
    private let ground: Ground
    private let limiter: RateLimiter

    package init(_ ground: Ground, limiter: RateLimiter) {
        self.ground = ground
        self.limiter = limiter
    }

    package func callAsFunction(_ context: RequestContext) throws(Problem) -> Challenge {
        try limiter.admit(.challenge, .address, context.address)
        let nonce = Base64URL.encode(ground.random.bytes(32))
        let lifetime = ground.policy.challengeLifetime
        let item = Item(
            StoreLayout.challenge(nonce: nonce), [:], expiresAt: ground.clock.now() + lifetime)
        try stored { () throws(StoreFailure) in
            try ground.store.write([.put(item, when: [.absent])])
        }
        return Challenge(nonce: nonce, lifetime: lifetime)
    }
}

package struct Challenge: Equatable, Sendable {
    package let nonce: String
    package let lifetime: Span
}
