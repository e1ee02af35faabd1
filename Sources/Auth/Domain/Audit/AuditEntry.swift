package import Time

/// What an event of the audit log says. It has no secret, no token, and no e-mail address.
package struct AuditEntry: Equatable, Sendable {
    package var id: UUIDText
    /// A name of `AuditEvent`.
    package var event: String
    package var succeeded: Bool
    package var user: UserID?
    package var session: SessionID?
    /// Of the client, as is the user agent.
    package var address: String?
    package var userAgent: String?
    /// Why it failed, or how it was done.
    package var detail: String?
    /// Who did it, where that is not the account's owner.
    package var maker: String?
    package var at: Instant

    package init(
        id: UUIDText, _ event: AuditEvent, user: UserID?, session: SessionID? = nil,
        address: String?, userAgent: String?, detail: String? = nil, maker: String? = nil,
        at: Instant
    ) {
        self.init(id: id, event: event.rawValue, succeeded: event.succeeded, at: at)
        self.user = user
        self.session = session
        self.address = address
        self.userAgent = userAgent
        self.detail = detail
        self.maker = maker
    }

    /// As it was read: the name of the event may be one of another version.
    package init(id: UUIDText, event: String, succeeded: Bool, at: Instant) {
        self.id = id
        self.event = event
        self.succeeded = succeeded
        self.at = at
    }
}
