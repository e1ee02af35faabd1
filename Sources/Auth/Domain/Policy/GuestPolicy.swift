package import Time

/// Guests: accounts without a way to sign in, which are their one session and nothing else.
package struct GuestPolicy: Equatable, Sendable {
    /// A guest that is not used for this long has ended, with everything that it stored.
    package var lifetime: Span
    /// Whether guests get storage credentials.
    package var allowsStorage: Bool

    package init(lifetime: Span = .days(30), allowsStorage: Bool = true) {
        self.lifetime = lifetime
        self.allowsStorage = allowsStorage
    }

    /// How long after the end of its last session a guest is deleted. The clocks of two machines
    /// differ by less: a refresh that one of them admits at the last moment must not lose its
    /// account to the other.
    package static let sweepDelay = Span.minutes(10)
}

extension Policy {
    /// How long a session of the user lives without being used.
    package func idleLifetime(of user: User) -> Span {
        user.isGuest ? guests?.lifetime ?? sessions.idleLifetime : sessions.idleLifetime
    }
}
