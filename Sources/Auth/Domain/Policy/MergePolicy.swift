package import Time

/// Merging the account of a session with that of a way to sign in which the user has proven, but
/// which belongs to another account. A contract without this policy only says that it does.
package struct MergePolicy: Equatable, Sendable {
    /// The time between the proof and the merge.
    package var ticketLifetime: Span

    package init(ticketLifetime: Span = .minutes(5)) { self.ticketLifetime = ticketLifetime }
}
