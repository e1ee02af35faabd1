package import Time

/// Sends logout tokens to clients.
package struct LogoutServices: Sendable {
    /// Sends all of them at the same time.
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
    /// Its `backchannel_logout_uri`.
    package let url: String
    package let token: String
    /// Whether nobody but the client itself has named the address.
    package let isOfStranger: Bool
}

/// OpenID Connect Back-Channel Logout 1.0 section 2.8.
package enum LogoutAnswer: String, Equatable, Sendable {
    case accepted
    /// 400: the client cannot use the token, and will not be able to.
    case refused
    /// Another status, or none in time.
    case failed
}

/// The outcome of a notice, for the log.
package enum LogoutOutcome: Equatable, Sendable {
    case sent(client: String)
    /// It is tried again.
    case failed(client: String)
    /// It is not tried again: the client has refused it, or has not answered for an hour.
    case dead(client: String)
}
