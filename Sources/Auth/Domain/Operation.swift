/// What a client can ask for. Each operation is declared at the foot of the file that performs it,
/// and contracts list the ones that they have as endpoints.
package struct AuthOperation: Hashable, Sendable {
    /// In log lines, in `RateLimit` and in the setting `RATE_LIMITS`.
    package let name: String
    /// The executable that serves it.
    package let function: String

    /// Whose requests it counts: a rate limit per any other subject would never be reached.
    package let counted: [RateLimit.Subject]

    /// - Parameters:
    ///   - function: where the executable is not called what the operation is called.
    ///   - counted: those that authentication counts, except for operations that open by
    ///     themselves.
    package init(
        _ name: StaticString, servedBy function: StaticString? = nil,
        counting counted: [RateLimit.Subject] = [.address, .account, .session]
    ) {
        self.name = "\(name)"
        self.counted = counted
        self.function = function.map { "\($0)" } ?? "\(name)".lowercased()
    }
}
