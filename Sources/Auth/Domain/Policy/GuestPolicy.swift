package import Time

/// Guests: accounts without a sign-in method. Only their one session gives access to them.
package struct GuestPolicy: Equatable, Sendable {
    /// A guest account that is not used for this long ends, and its data is deleted.
    package var lifetime: Span
    /// Whether guests get storage credentials.
    package var allowsStorage: Bool

    package init(lifetime: Span = .days(30), allowsStorage: Bool = true) {
        self.lifetime = lifetime
        self.allowsStorage = allowsStorage
    }

    /// How long after the end of its last session a guest is deleted. The clocks of two machines
    /// differ by less than this: if one of them admits a refresh at the last moment, the other must
    /// not delete the account.
    package static let sweepDelay = Span.minutes(10)
}

extension Policy {
    /// How long a session of the user lives without being used.
    package func idleLifetime(of user: User) -> Span {
        user.isGuest ? guests?.lifetime ?? sessions.idleLifetime : sessions.idleLifetime
    }
}
