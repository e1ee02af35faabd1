package import Time

/// What an event of the audit log says. It has no secret, no token, and no e-mail address.
package struct AuditEntry: Equatable, Sendable {
    /// A name of `AuditEvent`.
    package var event: String
    package var session: SessionID?
    package var address: String?
    package var detail: String?
    /// Who did it, where that is not the account's owner.
    package var maker: String?
    package var at: Instant

    package init(event: String, at: Instant) {
        self.event = event
        self.at = at
    }
}
