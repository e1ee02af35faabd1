internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The link that undoes a change of an account, in the mail about it to the account's verified
/// address.
struct RestoreLink {
    let point: RestorePoint
    let write: Write
    private let email: EmailAddress
    private let values: [String: String]

    /// The values of the mail to an address.
    func values(for address: String) -> [String: String] {
        EmailAddress(parsing: address) == email ? values : [:]
    }
}

extension RestoreLink {
    /// nil if the contract undoes no changes, or the account has no verified address. Throws if too
    /// many changes of the account can be undone already: an attacker must not displace the owner's
    /// changes.
    ///
    /// - Parameters:
    ///   - known: the account before the change.
    ///   - since: `SessionProofs.since` of the session that makes the change.
    init?(
        _ auth: AuthServices, _ change: RestorePoint.Change, of known: User, since: Instant,
        at now: Instant
    ) throws(AuthError) {
        guard let policy = auth.policy.emailChanges,
            let state = RestorableState(known, since: since, at: now)
        else { return nil }
        guard let links = auth.policy.links else { throw .fault(.serviceNotConfigured) }
        let points = known.restorePoints(at: now)
        if points.count >= policy.undoableMax, let oldest = points.first {
            throw .rateLimited(retryAfterSeconds: max(1, (oldest.until - now).seconds))
        }
        let until = now + policy.undoLifetime
        let (token, link) = AccountLink.make(for: known.id, random: auth.random)
        let undo = Undo(change)
        point = RestorePoint(link: link.place, change, until: until)
        write = .put(state.item(link.key(undo.row), expiresAt: until), when: [.absent])
        email = state.email
        values = [
            undo.value: links.link(undo.link, token: token),
            "days": "\((until - now).seconds / 86_400)",
        ]
    }
}

/// The change that a link undoes.
private struct Undo {
    let row: AccountLink.Purpose
    let link: LinkPolicy.Purpose
    /// The placeholder of the mail's template.
    let value: String

    init(_ change: RestorePoint.Change) {
        (row, link, value) =
            switch change {
            case .address: (.undoEmail, .undoEmail, "link")
            case .method: (.undoChange, .undoChange, "undo")
            }
    }
}

extension User {
    /// Call this in the change of the account.
    mutating func add(_ point: RestorePoint?, at now: Instant) {
        restorePoints = restorePoints(at: now) + [point].compactMap(\.self)
    }
}

extension AuthServices {
    /// A notice about a change of the ways to sign in or of the second factor, and its writes.
    ///
    /// - Parameters:
    ///   - known: the account before the change.
    ///   - notified: the account whose addresses get the notice.
    ///   - isUndone: whether the mail has a link that undoes the change.
    ///   - since: `SessionProofs.since` of the session that makes the change.
    func undoable(
        _ kind: Mail.Kind, of known: User, to notified: User, saying values: [String: String] = [:],
        isUndone: Bool = true, since: Instant, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> UndoableChange {
        let link =
            isUndone ? try RestoreLink(self, .method, of: known, since: since, at: now) : nil
        let notice = try notice(kind, to: notified, caller, at: now) { address in
            values.merging(link?.values(for: address) ?? [:]) { $1 }
        }
        return UndoableChange(point: link?.point, notice: notice, link: link?.write)
    }

    /// `SessionProofs.inherited` of a session that begins now.
    ///
    /// - Parameter password: when the password was added, if the session began with it.
    func inherited(
        by provider: String, passkey: String? = nil, password: Addition? = nil, of user: User,
        at now: Instant
    ) -> Instant? {
        guard let lifetime = policy.emailChanges?.undoLifetime,
            let addition = password ?? user.addition(of: provider, passkey: passkey),
            now - addition.at < lifetime
        else { return nil }
        return addition.since
    }
}

/// The notice of a change, whose mail has the link that undoes it.
struct UndoableChange {
    let point: RestorePoint?
    let notice: OwnerNotice
    fileprivate let link: Write?

    /// The writes for the transaction of the change.
    var writes: [Write] { [link].compactMap(\.self) + notice.writes }
}
