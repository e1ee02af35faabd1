package import Time

/// The contents of an audit event. It contains no secret and no token. It contains no e-mail
/// address, except in the words of an administrator.
package struct AuditEntry: Equatable, Sendable {
    package var id: UUIDText
    /// A name of `AuditEvent`.
    package var event: String
    package var succeeded: Bool
    package var user: UserID?
    package var session: SessionID?
    /// The client's network address.
    package var address: String?
    package var userAgent: String?
    /// Why the action failed, or which method was used.
    package var detail: String?
    /// The actor, if not the account's owner.
    package var maker: String?
    /// Why an administrator acted, in their words. For administrators only.
    package var reason: String?
    package var at: Instant

    package init(
        id: UUIDText, _ event: AuditEvent, user: UserID?, session: SessionID? = nil,
        address: String?, userAgent: String?, detail: String? = nil, maker: String? = nil,
        reason: String? = nil, at: Instant
    ) {
        self.init(id: id, event: event.rawValue, succeeded: event.succeeded, at: at)
        self.user = user
        self.session = session
        self.address = address
        self.userAgent = userAgent
        self.detail = detail
        self.maker = maker
        self.reason = reason
    }

    /// An event from the store: its name may come from another version of the software.
    package init(id: UUIDText, event: String, succeeded: Bool, at: Instant) {
        self.id = id
        self.event = event
        self.succeeded = succeeded
        self.at = at
    }
}
