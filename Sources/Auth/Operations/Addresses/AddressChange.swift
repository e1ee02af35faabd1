internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Gives an account another address. A verified former address gets a link that restores it. The
/// account keeps its claim on it as long as the link is valid. Both are omitted if the change is
/// final.
struct AddressChange {
    private let known: User
    private let email: EmailAddress
    private let isChosen: Bool
    /// nil if the change is final.
    private let former: RestorePoint?
    private let isFinal: Bool
    private let now: Instant
    private let accounts: AccountPolicy
    private let others: [Write]
    private let notice: OwnerNotice
    private let held: ItemKey?
}

extension AddressChange {
    /// - Parameters:
    ///   - known: the account before the change.
    ///   - isFinal: whether neither this change nor earlier ones can be undone.
    ///   - since: `SessionProofs.since` of the session that makes the change.
    ///   - owner: the account that has claimed the address, as far as it is known.
    init(
        _ auth: AuthServices, of known: User, to email: EmailAddress, isFinal: Bool = false,
        since: Instant, ownedBy owner: UserID? = nil, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let isChosen = auth.policy.emailChanges != nil
        var others: [Write] = []
        var (former, notice): (RestorePoint?, OwnerNotice) = (nil, .none)
        // Another spelling of the same address does not count as a change.
        if isChosen, known.emailAddress != email {
            let claim = known.loginAddress.map(StoreLayout.addressDigest)
            let link =
                isFinal
                ? nil
                : try RestoreLink(auth, .address(claim: claim), of: known, since: since, at: now)
            notice = try auth.notice(.emailChanged, to: known, caller, at: now) { address in
                link?.values(for: address) ?? [:]
            }
            former = link?.point
            others += [link?.write].compactMap(\.self) + notice.writes
        }
        if isFinal {
            others += known.restorePoints(at: now).compactMap { point in
                AccountLink(of: known.id, at: point.link).map {
                    .delete($0.key(point.isOfAddress ? .undoEmail : .undoChange), when: [])
                }
            }
        }
        self.init(
            known: known, email: email, isChosen: isChosen, former: former, isFinal: isFinal,
            now: now, accounts: auth.policy.accounts, others: others, notice: notice,
            held: owner == known.id ? StoreLayout.emailClaim(email) : nil)
    }

    /// Call this in the change of `UserRecord.replacing`.
    func apply(to user: inout User) {
        user.email = email.text
        user.isEmailVerified = true
        user.login = email.folded
        if isChosen { user.hasChosenEmail = true }
        user.updatedAt = now
        user.add(former, at: now)
        if isFinal { user.restorePoints = [] }
        if let password = user.identities.firstIndex(where: \.isPassword) {
            user.identities[password] = .password(email)
        }
    }

    /// Writes for one transaction with the account. The store refuses them if another account
    /// has the address.
    var writes: [Write] {
        var next = known
        apply(to: &next)
        return known.movingClaims(to: next, at: now, holding: held)
            + accounts.userIndex(from: known, to: next) + others
    }

    /// Call it after the transaction is committed.
    func deliver() { notice.deliver() }
}

extension AuthServices {
    /// Enforces `EmailChangePolicy.formerMax`.
    func refuseTooManyAddresses(of user: User, at now: Instant) throws(AuthError) {
        let former = user.restorePoints(at: now).filter(\.isOfAddress)
        guard let policy = policy.emailChanges, former.count >= policy.formerMax,
            let oldest = former.first
        else { return }
        throw .rateLimited(retryAfterSeconds: max(1, (oldest.until - now).seconds))
    }
}
