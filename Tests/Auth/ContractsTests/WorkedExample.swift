package import AuthOperations
package import AuthDomain
package import Time

/// Tells a signed-in user which session they use, and when it ends unless it is refreshed.
package struct DescribeSession: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(_ principal: Principal) -> SessionDescription {
        let session = principal.session
        return SessionDescription(
            id: session.id, endsAt: session.expiresAt,
            remaining: session.expiresAt - auth.clock.now())
    }
}

package struct SessionDescription: Equatable, Sendable {
    package let id: SessionID
    package let endsAt: Instant
    package let remaining: Span
}

extension AuthServices {
    package var describeSession: DescribeSession { DescribeSession(self) }
}

extension AuthOperation {
    /// Served by the executable `session`. Without `servedBy` its name would be `describesession`.
    package static let describeSession = AuthOperation("describeSession", servedBy: "session")
}
