internal import Bytes

/// An operation for clients. Each is declared at the end of the file that implements it, and
/// contracts list the ones that they use as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// The name in log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable, if its name differs from the operation's.
    private let executable: String?

    /// The executable that serves the operation.
    package var function: String { executable ?? name.asciiLowercased }

    package func isServed(by function: String) -> Bool {
        if let executable { return executable.isSame(as: function) }
        return name.utf8.lazy.map(\.lowercased).elementsEqual(function.utf8)
    }

    /// The subjects whose requests the operation counts: a rate limit for any other subject would
    /// have no effect.
    package let counted: [RateLimit.Subject]

    /// The kinds of audit chains to which the operation adds events. Its function needs the audit
    /// key for them.
    package enum Audit: Sendable {
        case none
        /// The signed-in caller: the head of their chain is read during authentication.
        case caller
        case others
    }

    package let audit: Audit
    /// Whether most of its requests hash a password. A server lets such requests take turns.
    package let hashesPasswords: Bool
    package var isAudited: Bool { audit != .none }

    /// - Parameters:
    ///   - function: the executable, if its name differs from the operation's.
    ///   - counted: by default the subjects that authentication counts; operations that do not
    ///     authenticate state their subjects.
    package init(
        _ name: String, servedBy function: String? = nil,
        counting counted: [RateLimit.Subject] = [.address, .account, .session],
        audited audit: Audit = .none, hashing hashesPasswords: Bool = false
    ) {
        self.name = name
        self.counted = counted
        self.audit = audit
        self.hashesPasswords = hashesPasswords
        executable = function
    }
}
