package import Time

/// The reasons why a session has ended. All code that reads a session uses `SessionEnd.of`.
///
/// In addition, a session ends when its row is deleted: by sign-out, by revocation from the list of
/// devices, by the reuse of a refresh token (`Session.present`), or because the account has
/// more than `SessionPolicy.sessionsMax` sessions.
package enum SessionEnd: String, Equatable, Sendable {
    /// There is no row: the session was signed out, revoked, or expired and deleted. Or the passkey
    /// that began the session was removed: a passkey may have more sessions than one transaction
    /// can delete, so the rows still exist.
    case deleted
    /// The session was not refreshed for `SessionPolicy.idleLifetime`.
    case idle
    /// The session is older than `SessionPolicy.absoluteLifetime`.
    case tooOld
    /// The user's epoch was increased: signed out everywhere, a changed or reset password, an
    /// action of an administrator, or token reuse in a contract where it ends all sessions.
    case signedOutEverywhere
    /// The account does not exist any more.
    case accountDeleted
    case accountDisabled

    /// Why the session has ended; nil if it is active.
    ///
    /// A disabled account is checked last, so that a session that had ended before keeps its
    /// reason.
    package static func of(
        _ session: Session?, _ user: User?, at now: Instant
    ) -> SessionEnd? { of(session?.lifetime, user, at: now) }

    package static func of(
        _ session: SessionLifetime?, _ user: User?, at now: Instant
    ) -> SessionEnd? {
        guard let user, user.deletedAt == nil else { return .accountDeleted }
        guard let session else { return .deleted }
        if now >= session.absoluteExpiresAt { return .tooOld }
        if now >= session.idleExpiresAt { return .idle }
        if session.epoch != user.epoch { return .signedOutEverywhere }
        if let passkey = session.passkey, !user.hasPasskey(passkey) { return .deleted }
        return user.isDisabled ? .accountDisabled : nil
    }
}
