package import AuthDomain
package import Bytes
package import Time

/// The interface of deletions and merges to systems outside the store.
package struct ErasureServices: Sendable {
    /// Deletes every object of a user, and aborts every upload in progress.
    ///
    /// - Returns: false if `end` was reached first. Objects that were deleted before are not
    ///   restored.
    package typealias EraseObjects =
        @Sendable (_ user: UserID, _ end: Instant) throws(ErasureFailure) -> Bool
    /// Revokes a provider's refresh token, and with it the user's consent. Also succeeds if the
    /// provider no longer knows the token.
    package typealias Revoke =
        @Sendable (_ token: SecretBytes, _ clientID: String, _ now: Instant) throws(ErasureFailure)
        -> Void
    /// Copies objects of a user whose account was merged into another, in the order of their keys.
    package typealias CopyObjects =
        @Sendable (_ copy: ObjectCopy, _ end: Instant) throws(ErasureFailure) -> ObjectCopy.Progress
    /// Erases the application's data of a user. Returns when everything is erased, or throws; data
    /// that is already erased must not be an error.
    package typealias EraseApplicationPart =
        @Sendable (_ ended: EndedAccount) throws(ErasureFailure) -> Void
    package typealias Report = @Sendable (ErasureReport) -> Void

    /// nil: the deployment has no storage.
    let eraseObjects: EraseObjects?
    /// The functions that revoke the consent, by provider name.
    let revoke: [String: Revoke]
    /// nil if the deployment has no storage.
    let copyObjects: CopyObjects?
    /// nil: no hook `merge` is configured.
    let participant: MergeParticipant?
    /// nil: no hook `erase` is configured.
    let eraseApplicationPart: EraseApplicationPart?
    let report: Report

    package init(
        eraseObjects: EraseObjects?, copyObjects: CopyObjects?,
        participant: MergeParticipant? = nil,
        eraseApplicationPart: EraseApplicationPart? = nil, revoke: [String: Revoke] = [:],
        report: @escaping Report = { _ in }
    ) {
        self.eraseObjects = eraseObjects
        self.copyObjects = copyObjects
        self.participant = participant
        self.eraseApplicationPart = eraseApplicationPart
        self.revoke = revoke
        self.report = report
    }
}

package enum ErasureFailure: String, Error, CaseIterable, Sendable {
    /// The service is unreachable or overloaded.
    case unavailable
    /// Our credentials or settings were rejected.
    case refused
    /// The settings for revoking the provider's tokens are missing.
    case notConfigured
    /// The token was encrypted with a master key that is not in the settings.
    case unreadable
}

/// The parts of an account that are erased, or moved to another one.
package enum ErasurePart: String, CaseIterable, Sendable {
    case providerTokens, rows, objects
    case movedObjects, application
}

/// The result of a run, for the log.
package enum ErasureReport: Equatable, Sendable {
    /// The part failed, and will be tried again.
    case failed(UserID, ErasurePart, ErasureFailure)
    /// The part failed, and will not be tried again, because the account's row was removed. The
    /// audit log records it too.
    case providerTokenNotRevoked(UserID)
    /// All data of the account is moved to another one. The rest is erased next.
    case moved(UserID)
    /// Only the account's row remains, without personal data.
    case erased(UserID)
    /// The account's row is deleted too.
    case removed(UserID)
}
