internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Gives an account another address. A verified former address gets the link that restores it, and
/// stays claimed as long as the link is valid, unless the change is final.
struct AddressChange {
    private let known: User
    private let email: EmailAddress
    private let isChosen: Bool
    /// The addresses that can be restored afterwards.
    private let formers: [FormerAddress]
    private let now: Instant
    private let others: [Write]
    private let notice: OwnerNotice
}

extension AddressChange {
    /// - Parameters:
    ///   - known: the account before the change.
    ///   - isFinal: whether neither this change nor earlier ones can be undone.
    init(
        _ auth: AuthServices, of known: User, to email: EmailAddress, isFinal: Bool = false,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let policy = auth.policy.emailChanges
        // Another spelling of the same address replaces nothing.
        let replaces = policy != nil && known.emailAddress != email
        let replaced = replaces && !isFinal ? ReplacedAddress(known, at: now) : nil
        let until = now + (policy?.undoLifetime ?? .zero)
        var formers = known.restorableAddresses(at: now)
        var token: String?
        var others: [Write] = []
        if isFinal {
            others = formers.compactMap { AccountLink(of: known.id, at: $0.link) }
                .map { .delete($0.key(.undoEmail), when: []) }
            formers = []
        }
        if let replaced {
            let (text, link) = AccountLink.make(for: known.id, random: auth.random)
            others.append(.put(replaced.item(link, expiresAt: until), when: [.absent]))
            token = text
            formers.append(
                FormerAddress(
                    link: link.place, claim: known.loginAddress.map(StoreLayout.addressDigest),
                    until: until))
        }
        let notice =
            replaces
            ? try auth.noticeOfNewEmail(
                to: known, restoring: replaced?.email, token, until: until, caller, at: now) : .none
        self.init(
            known: known, email: email, isChosen: policy != nil, formers: formers, now: now,
            others: others
                + auth.policy.accounts.emailIndex(
                    of: known.id, from: known.emailAddress, to: email) + notice.writes,
            notice: notice)
    }

    /// To be called in the change of `UserRecord.replacing`.
    func apply(to user: inout User) {
        user.email = email.text
        user.isEmailVerified = true
        user.login = email.folded
        if isChosen { user.hasChosenEmail = true }
        user.updatedAt = now
        user.formerAddresses = formers
        if let password = user.identities.firstIndex(where: \.isPassword) {
            user.identities[password] = .password(email)
        }
    }

    /// Writes for one transaction with the account. The store refuses them if another account
    /// has the address.
    var writes: [Write] {
        var next = known
        apply(to: &next)
        return known.movingClaims(to: next, at: now) + others
    }

    /// Call it after the transaction is committed.
    func deliver() { notice.deliver() }
}

extension AuthServices {
    /// `EmailChangePolicy.formerMax`
    func refuseTooManyAddresses(of user: User, at now: Instant) throws(AuthError) {
        let former = user.restorableAddresses(at: now)
        guard let policy = policy.emailChanges, former.count >= policy.formerMax,
            let oldest = former.first
        else { return }
        throw .rateLimited(retryAfterSeconds: max(1, (oldest.until - now).seconds))
    }

    /// - Parameters:
    ///   - restored: the address that the link restores.
    ///   - token: of the link.
    fileprivate func noticeOfNewEmail(
        to former: User, restoring restored: EmailAddress?, _ token: String?, until: Instant,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> OwnerNotice {
        var values: [String: String] = [:]
        if let token {
            guard let links = policy.links else { throw .fault(.serviceNotConfigured) }
            values["link"] = links.link(.undoEmail, token: token)
            values["days"] = "\((until - now).seconds / 86_400)"
        }
        return try notice(.emailChanged, to: former, caller, at: now) { address in
            EmailAddress(parsing: address) == restored ? values : [:]
        }
    }
}
