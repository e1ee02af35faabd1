/// An operation for clients. Each is declared at the end of the file that implements it, and
/// contracts list theirs as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// The name in log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable that serves it.
    package let function: String

    /// Whose requests it counts: a rate limit per any other subject would never be reached.
    package let counted: [RateLimit.Subject]

    /// Whose events it adds to the audit log, for which its function needs a key.
    package enum Audit: Sendable {
        case none
        /// Of the signed-in caller: the end of their chain is read as they are authenticated.
        case caller
        case others
    }

    package let audit: Audit
    package var isAudited: Bool { audit != .none }

    /// - Parameters:
    ///   - function: the executable, if its name differs from the operation's.
    ///   - counted: those that authentication counts, except for operations that open by
    ///     themselves.
    package init(
        _ name: StaticString, servedBy function: StaticString? = nil,
        counting counted: [RateLimit.Subject] = [.address, .account, .session],
        audited audit: Audit = .none
    ) {
        self.name = "\(name)"
        self.counted = counted
        self.audit = audit
        self.function = function.map { "\($0)" } ?? "\(name)".lowercased()
    }
}
