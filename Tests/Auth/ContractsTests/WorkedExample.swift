package import AuthDomain
package import AuthOperations
package import Time

extension AuthServices {
    /// Tells a signed-in user which session they use, and when it ends unless it is refreshed.
    package func describeExample(_ principal: Principal) -> ExampleDescription {
        let session = principal.session
        return ExampleDescription(
            id: session.id, endsAt: session.expiresAt,
            remaining: session.expiresAt - clock.now())
    }
}

package struct ExampleDescription: Equatable, Sendable {
    package let id: SessionID
    package let endsAt: Instant
    package let remaining: Span
}

extension AuthOperation {
    /// Served by the executable `session`. Without `servedBy` its name would be `describesession`.
    package static let describeExample = AuthOperation("describeExample", servedBy: "session")
}
