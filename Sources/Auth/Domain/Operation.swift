/// An operation for clients. Each is declared at the end of the file that implements it, and
/// contracts list theirs as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// The name in log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable that serves it.
    package let function: String

    /// - Parameter function: the executable, if its name differs from the operation's.
    package init(_ name: StaticString, servedBy function: StaticString? = nil) {
        self.name = "\(name)"
        self.function = function.map { "\($0)" } ?? "\(name)".lowercased()
    }
}
