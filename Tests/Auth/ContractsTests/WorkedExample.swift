package import AuthOperations
package import AuthDomain
package import Time

extension AuthServices {
    /// Tells a signed-in user which session they use, and when it ends unless it is refreshed.
    package func describeSession(_ principal: Principal) -> SessionDescription {
        let session = principal.session
        return SessionDescription(
            id: session.id, endsAt: session.expiresAt,
            remaining: session.expiresAt - clock.now())
    }
}

package struct SessionDescription: Equatable, Sendable {
    package let id: SessionID
    package let endsAt: Instant
    package let remaining: Span
}

extension AuthOperation {
    /// Served by the executable `session`. Without `servedBy` its name would be `describesession`.
    package static let describeSession = AuthOperation("describeSession", servedBy: "session")
}
