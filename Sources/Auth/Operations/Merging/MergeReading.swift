internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Reads both accounts of a merge with a ticket in one trip: the account that ends is in the access
/// token, and the account that remains is in the ticket.
struct MergeReading {
    let opening: Opening
    let ending: MergeSession
    private let claims: AccessClaims
    private let link: AccountLink?
    private let other: User?

    var items: ReadItems { opening.items }
    var page: Page? { opening.page }

    /// - Parameter isCounted: false if the request was counted in an earlier attempt.
    init(
        _ auth: AuthServices, _ claims: AccessClaims, _ refresh: PresentedRefreshToken,
        _ link: AccountLink?, isCounted: Bool, _ caller: Caller
    ) throws(AuthError) {
        var keys = MergeSession.keys(claims)
        // A ticket for the account that ends is ignored: it would merge the account with itself.
        let link = link.flatMap { $0.user == claims.user ? nil : $0 }
        if let link {
            keys += [
                PendingMerge.key(link, of: claims.user), StoreLayout.profile(link.user),
                StoreLayout.secondFactor(of: link.user), AuditChain.account(link.user).headKey,
                AuditChain.attempts(on: link.user).headKey,
            ]
        }
        let opening = try auth.open(
            .mergeAccounts,
            counting: isCounted
                ? [(.address, caller.address), (.account, claims.user.text)] : [],
            reading: keys, listing: link.map { auth.sessionsQuery($0.user) },
            provenBy: isCounted ? caller.key : nil)
        ending = try MergeSession(auth, claims, refresh, opening)
        other = try link.flatMap { link throws(AuthError) in try opening.items.user(link.user) }
        self.opening = opening
        self.claims = claims
        self.link = link
    }

    // MARK: The account that remains

    struct Offer {
        let row: Item
        let pending: PendingMerge
        let other: User
    }

    /// The ticket's row, and the account that it names.
    private func ticket() throws(AuthError) -> Offer? {
        guard let link, let other, let row = items[PendingMerge.key(link, of: claims.user)] else {
            return nil
        }
        let pending = try decoded(PendingMerge(row))
        guard pending.other == other.id, pending.session == claims.session else { return nil }
        return Offer(row: row, pending: pending, other: other)
    }

    /// nil if the ticket is not one of this session, was used, or is older than a change of either
    /// account.
    func offer() throws(AuthError) -> Offer? {
        guard let offer = try ticket(), offer.pending.opened == nil,
            offer.pending.epoch == ending.user?.epoch, isUsable(offer)
        else { return nil }
        return offer
    }

    private func isUsable(_ offer: Offer) -> Bool {
        let other = offer.other
        return other.deletedAt == nil && !other.isDisabled
            && offer.pending.otherEpoch == other.epoch
    }

    /// The session that the ticket has opened, if the same session asks again.
    func opened() throws(AuthError) -> (other: User, PendingMerge.Opened)? {
        guard let offer = try ticket(), let opened = offer.pending.opened, isUsable(offer),
            try ending.hasEnded(in: offer.other.id, epoch: offer.pending.epoch)
        else { return nil }
        return (offer.other, opened)
    }
}
