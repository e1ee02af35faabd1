package import Time

/// Allows a user who proves an identity of another account to merge the session's account into it.
/// Without this policy, the contract only reports that another account has the identity.
package struct MergePolicy: Equatable, Sendable {
    /// The time between the proof and the merge.
    package var ticketLifetime: Span

    package init(ticketLifetime: Span = .minutes(5)) { self.ticketLifetime = ticketLifetime }
}
