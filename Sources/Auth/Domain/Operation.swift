/// What a client can ask for. Each operation is declared at the foot of the file that performs it,
/// and contracts list the ones that they have as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// In log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable that serves it.
    package let function: String

    /// - Parameter function: where the executable is not called what the operation is called.
    package init(_ name: StaticString, servedBy function: StaticString? = nil) {
        self.name = "\(name)"
        self.function = function.map { "\($0)" } ?? "\(name)".lowercased()
    }
}
