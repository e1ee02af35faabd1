package import AuthDomain
package import Bytes
package import Time

/// The port of deletion to what is outside of the store.
package struct ErasureServices: Sendable {
    /// Deletes every object of a user, and every upload that is under way.
    ///
    /// - Returns: false if `end` came first. What was deleted until then stays deleted.
    package typealias EraseObjects =
        @Sendable (_ user: UserID, _ end: Instant) throws(ErasureFailure) -> Bool
    /// Revokes a provider's refresh token, and with it the user's consent. Succeeds for a token
    /// that the provider does not know any more.
    package typealias Revoke =
        @Sendable (_ token: SecretBytes, _ clientID: String, _ now: Instant) throws(ErasureFailure)
        -> Void
    package typealias Report = @Sendable (ErasureReport) -> Void

    /// nil: the deployment has no storage.
    let eraseObjects: EraseObjects?
    /// By the provider's name.
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
    /// Not reached, or overloaded.
    case unavailable
    /// Our credentials or settings are wrong there.
    case refused
    /// Nothing is configured to revoke a provider's token with.
    case notConfigured
    /// Another master key encrypted the token.
    case unreadable
}

/// The parts of an account that are erased.
package enum ErasurePart: String, CaseIterable, Sendable {
    case providerTokens, rows, objects
}

/// What became of a run, for the log.
package enum ErasureReport: Equatable, Sendable {
    /// It is tried again.
    case failed(UserID, ErasurePart, ErasureFailure)
    /// Given up when the account's row was removed; the audit trail has it too.
    case providerTokenNotRevoked(UserID)
    /// Nothing is left but the account's row without personal data.
    case erased(UserID)
    /// That row is gone too.
    case removed(UserID)
}
