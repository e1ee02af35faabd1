package import Cryptography
package import KeyValueStore
package import AuthDomain
package import Time

/// What the platform knows about a caller, apart from what the caller says.
package struct RequestContext: Equatable, Sendable {
    /// Taken from the connection, or from forwarding headers of configured hops only.
    package let address: String?
    package let userAgent: String?
    package var bearer: String?

    package static let addressCharactersMax = 64
    package static let userAgentCharactersMax = 256

    package init(address: String? = nil, userAgent: String? = nil, bearer: String? = nil) {
        self.address = address.map { Self.kept($0, Self.addressCharactersMax) }
        self.userAgent = userAgent.map { Self.kept($0, Self.userAgentCharactersMax) }
        self.bearer = bearer
    }
}

extension RequestContext {
    /// Both are kept with the session and shown to its owner. Counted in Unicode scalars: one
    /// character of Swift can hold megabytes of accents, and a store refuses such an item.
    private static func kept(_ text: String, _ charactersMax: Int) -> String {
        let scalars = text.unicodeScalars.prefix(charactersMax)
            .filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars))
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
