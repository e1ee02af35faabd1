package import AuthDomain
package import Bytes
package import Time

/// The port of deletion to systems outside the store.
package struct ErasureServices: Sendable {
    /// Deletes every object of a user, and aborts every upload in progress.
    ///
    /// - Returns: false if `end` was reached first. Objects deleted until then stay deleted.
    package typealias EraseObjects =
        @Sendable (_ user: UserID, _ end: Instant) throws(ErasureFailure) -> Bool
    /// Revokes a provider's refresh token, and with it the user's consent. Succeeds also if the
    /// provider no longer knows the token.
    package typealias Revoke =
        @Sendable (_ token: SecretBytes, _ clientID: String, _ now: Instant) throws(ErasureFailure)
        -> Void
    package typealias Report = @Sendable (ErasureReport) -> Void

    /// nil: the deployment has no storage.
    let eraseObjects: EraseObjects?
    /// Keyed by provider name.
    let revoke: [String: Revoke]
    let report: Report

    package init(
        eraseObjects: EraseObjects?, revoke: [String: Revoke] = [:],
        report: @escaping Report = { _ in }
    ) {
        self.eraseObjects = eraseObjects
        self.revoke = revoke
        self.report = report
    }
}

package enum ErasureFailure: String, Error, CaseIterable, Sendable {
    /// Unreachable or overloaded.
    case unavailable
    /// Our credentials or settings were rejected.
    case refused
    /// The settings for revoking the provider's tokens are missing.
    case notConfigured
    /// The token was encrypted with a master key that is not in the settings.
    case unreadable
}

/// The parts of an account that are erased.
package enum ErasurePart: String, CaseIterable, Sendable {
    case providerTokens, rows, objects
}

/// The result of a run, for the log.
package enum ErasureReport: Equatable, Sendable {
    /// It is tried again.
    case failed(UserID, ErasurePart, ErasureFailure)
    /// Not tried again, because the account's row was removed. The audit log records it too.
    case providerTokenNotRevoked(UserID)
    /// Only the account's row without personal data is left.
    case erased(UserID)
    /// The account's row is deleted too.
    case removed(UserID)
}
