/// An operation for clients. Each is declared at the end of the file that implements it, and
/// contracts list theirs as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// The name in log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable that serves it.
    package let function: String

    /// The subjects whose requests it counts: a rate limit for any other subject would have no
    /// effect.
    package let counted: [RateLimit.Subject]

    /// The accounts to whose audit chains it adds events, for which its function needs a key.
    package enum Audit: Sendable {
        case none
        /// The signed-in caller: the head of their chain is read during authentication.
        case caller
        case others
    }

    package let audit: Audit
    package var isAudited: Bool { audit != .none }

    /// - Parameters:
    ///   - function: the executable, if its name differs from the operation's.
    ///   - counted: by default the subjects that authentication counts; operations that do not
    ///     authenticate name theirs.
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
