package import Time

/// Sends logout tokens to clients.
package struct LogoutServices: Sendable {
    /// Sends all messages at the same time.
    package typealias Send = @Sendable ([LogoutMessage], Span) -> [LogoutAnswer]
    package typealias Report = @Sendable (LogoutOutcome) -> Void

    let send: Send
    let report: Report

    package init(send: @escaping Send, report: @escaping Report = { _ in }) {
        self.send = send
        self.report = report
    }
}

/// A logout token for a client.
package struct LogoutMessage: Equatable, Sendable {
    package let client: String
    /// The client's `backchannel_logout_uri`.
    package let url: String
    package let token: String
    /// Whether the address comes only from the client's own description.
    package let isOfStranger: Bool
}

/// OpenID Connect Back-Channel Logout 1.0 section 2.8.
package enum LogoutAnswer: String, Equatable, Sendable {
    case accepted
    /// Status 400: the client cannot use the token, and never will.
    case refused
    /// Another status, or no response in time.
    case failed
}

/// The outcome of a notice, for the log.
package enum LogoutOutcome: Equatable, Sendable {
    case sent(client: String)
    /// The notice will be sent again.
    case failed(client: String)
    /// The notice will not be sent again: the client has refused it, or has not responded for an
    /// hour.
    case dead(client: String)
}
