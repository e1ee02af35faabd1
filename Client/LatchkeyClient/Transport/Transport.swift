/// Sends a request over the network, and returns the response, whatever its status.
///
/// An implementation follows no redirect, because a token must not be sent to another server; keeps
/// no cookies and no cache; observes `timeout` and `answerBytesMax`; and returns soon after its
/// task is cancelled.
public protocol Transport: Sendable {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// Why there is no response.
public enum TransportError: Error, Equatable, Sendable {
    /// The request cannot have reached the server: no network, unknown host, connection refused.
    case notSent
    /// The server may have processed the request: a timeout, or a lost or truncated response.
    case lost
    case answerTooLarge
    case cancelled
}
