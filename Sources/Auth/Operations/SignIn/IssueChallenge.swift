package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

extension AuthServices {
    /// Issues a one-time nonce: the app passes it to the identity provider, which includes it in
    /// the identity token, and sign-in consumes it. A stolen identity token is then useless (OpenID
    /// Connect Core 1.0 section 15.5.2).
    package func challenge(_ caller: Caller) throws(AuthError) -> Challenge {
        try open(.challenge, counting: [(.address, caller.address)]).admit()
        let nonce = Base64URL.encode(random.bytes(32))
        let lifetime = policy.identity.challengeLifetime
        // The write is unconditional: 256 random bits do not collide.
        let item = Item(
            StoreLayout.challenge(nonce: nonce), [:], expiresAt: clock.now() + lifetime)
        try store.write([.put(item, when: [])])
        return Challenge(nonce: nonce, lifetime: lifetime)
    }
}

package struct Challenge: Equatable, Sendable {
    package let nonce: String
    package let lifetime: Span
}

extension AuthOperation {
    package static let challenge = AuthOperation("challenge", counting: [.address])
}
