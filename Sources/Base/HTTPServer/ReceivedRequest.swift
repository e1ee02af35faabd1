package import HTTP

/// A complete request, as it was sent.
package struct ReceivedRequest: Sendable, Equatable {
    /// The method, which is case-sensitive (RFC 9110 section 9.1).
    package var method: String
    /// The path, percent-encoded, with its leading slash; `*` for OPTIONS.
    package var path: String
    /// The query without the question mark; empty if there is no query.
    package var query: String
    /// The headers in order, including repeated ones.
    package var headers: [HTTPHeader]
    /// The body after any transfer coding is removed.
    package var body: [UInt8]
    /// Whether the body is over the limit. It was not read, and is empty here.
    package var isBodyTooLarge: Bool
    /// Whether the connection ends with the response.
    package var closes: Bool
    /// The address of the other end of the connection; nil for a Unix socket.
    package var peer: String?
    /// Set if the request's turn would come too late (`SlowRequests`). The answer is 503 with this
    /// time until the next attempt.
    package var refusedForSeconds: Int?

    package init(
        method: String, path: String, query: String = "", headers: [HTTPHeader] = [],
        body: [UInt8] = [], isBodyTooLarge: Bool = false, closes: Bool = false,
        peer: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isBodyTooLarge = isBodyTooLarge
        self.closes = closes
        self.peer = peer
    }
}

/// Why the server answers a request itself. The connection ends with that response, because the
/// beginning of the next request is unknown.
package enum RequestRefusal: Error, Sendable, Equatable, CaseIterable {
    case malformed
    case timedOut
    case targetTooLong
    case unknownExpectation
    case headTooLarge
    case unknownTransferCoding
    case outOfMemory
    case unknownVersion

    package var status: Int {
        switch self {
        case .malformed: 400
        case .timedOut: 408
        case .targetTooLong: 414
        case .unknownExpectation: 417
        case .headTooLarge: 431
        case .unknownTransferCoding: 501
        case .outOfMemory: 503
        case .unknownVersion: 505
        }
    }
}
