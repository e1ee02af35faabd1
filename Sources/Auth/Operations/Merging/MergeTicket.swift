internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// The right to merge the account of a session into the account whose sign-in method the session
/// has proven. It cannot be printed.
package struct MergeTicket: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String
    package let lifetime: Span

    fileprivate init(_ text: String, lifetime: Span) {
        self.text = text
        self.lifetime = lifetime
    }

    /// The ticket's text, for the response body.
    package func reveal() -> String { text }

    package var description: String { "<merge ticket>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A ticket, and the write that makes it valid.
struct MergeOffer {
    let ticket: MergeTicket
    let write: Write
}

extension MergeOffer {
    /// nil if no merge can be offered: the contract has no merges, or the other account cannot be
    /// used. Reads the other account in a separate round trip, because its ID is known only now.
    ///
    /// - Parameters:
    ///   - principal: the user whose account would end.
    ///   - signsIn: whether the proven identity still signs in to the other account.
    init?(
        _ auth: AuthServices, of principal: Principal, into other: UserID, provider: String,
        _ method: ProofMethod, at now: Instant, signsIn: (User) -> Bool
    ) throws(AuthError) {
        guard let policy = auth.policy.merging else { return nil }
        let user = principal.user
        guard let owner = try auth.store.get([StoreLayout.profile(other)]).user(other),
            owner.deletedAt == nil, !owner.isDisabled, signsIn(owner)
        else { return nil }
        let (text, link) = AccountLink.make(for: other, random: auth.random)
        let pending = PendingMerge(
            other: other, epoch: user.epoch, otherEpoch: owner.epoch,
            session: principal.session.id, provider: provider, method: method)
        let row = pending.item(
            PendingMerge.key(link, of: user.id), expiresAt: now + policy.ticketLifetime)
        self.init(
            ticket: MergeTicket(text, lifetime: policy.ticketLifetime),
            write: .put(row, when: [.absent]))
    }
}
