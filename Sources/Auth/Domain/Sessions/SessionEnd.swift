package import Time

/// What ends a session. Everything that meets a session asks `SessionEnd.of`; nothing else decides.
///
/// Besides these, a session ends when its row is deleted: by sign-out, by revoking it from the list
/// of devices, by the reuse of a refresh token (`SessionFamily.present`), or because the account
/// has more than `SessionPolicy.sessionsMax` of them.
package enum SessionEnd: String, Equatable, Sendable {
    /// There is no row: signed out, revoked, or expired and deleted.
    case deleted
    /// Not refreshed for `SessionPolicy.idleLifetime`.
    case idle
    /// Older than `SessionPolicy.absoluteLifetime`.
    case tooOld
    /// The user's epoch has risen: signed out everywhere, or reuse of a token in a contract where
    /// it ends all sessions.
    case signedOutEverywhere
    /// There is no such account any more.
    case accountDeleted
    case accountDisabled

    /// Why the session has ended; nil while it is alive.
    ///
    /// A disabled account comes last: a session that had ended before has ended for that reason.
    package static func of(
        _ family: SessionFamily?, _ user: User?, at now: Instant
    ) -> SessionEnd? {
        guard let user, user.deletedAt == nil else { return .accountDeleted }
        guard let family else { return .deleted }
        if now >= family.absoluteExpiresAt { return .tooOld }
        if now >= family.idleExpiresAt { return .idle }
        if family.epoch != user.epoch { return .signedOutEverywhere }
        return user.isDisabled ? .accountDisabled : nil
    }
}
