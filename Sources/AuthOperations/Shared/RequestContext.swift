package import Cryptography
package import KeyValueStore
package import AuthDomain
package import Time

/// What the platform knows about a caller, apart from what the caller says.
package struct RequestContext: Equatable, Sendable {
    /// Taken from the connection, or from forwarding headers of configured hops only.
    package var address: String?
    package var userAgent: String?
    package var bearer: String?

    package init(address: String? = nil, userAgent: String? = nil, bearer: String? = nil) {
        self.address = address
        self.userAgent = userAgent
        self.bearer = bearer
    }
}

/// What every operation stands on.
package struct Ground: Sendable {
    package let store: any KeyValueStore
    package let clock: WallClock
    package let random: RandomSource
    package let policy: Policy

    package init(
        store: any KeyValueStore, clock: WallClock, random: RandomSource, policy: Policy
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.policy = policy
    }
}
