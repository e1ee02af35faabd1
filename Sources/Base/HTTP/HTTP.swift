internal import Bytes

/// An HTTP request and its response as values. `HTTPClient` performs it with libcurl; tests answer
/// it in memory.
package struct HTTPRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE"
        case head = "HEAD"
    }

    package var method: Method
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]
    package var limits: HTTPLimits
    package var reach: HTTPReach

    package init(
        _ method: Method, _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
        limits: HTTPLimits = .standard, reach: HTTPReach = .anywhere
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
        self.reach = reach
    }
}

/// The addresses to which a request may connect. A URL that an unknown person has chosen must not
/// lead into the operator's own network, whatever address its name resolves to (CWE-918).
package enum HTTPReach: Sendable, Equatable {
    case anywhere
    /// The public addresses of the internet (RFC 6890). Neither a proxy nor an existing connection
    /// is used.
    case internet
    /// The public addresses, and the loopback addresses of this machine.
    case internetOrLoopback
}

package struct HTTPHeader: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Compares without regard to case; `lowercased` must be in lower case.
    package func isNamed(_ lowercased: String) -> Bool {
        name.utf8.count == lowercased.utf8.count && isNamed(from: lowercased)
    }

    /// Whether the name has this prefix.
    package func isNamed(from lowercased: String) -> Bool {
        let name = name.utf8.span
        let wanted = lowercased.utf8.span
        guard name.count >= wanted.count else { return false }
        for index in wanted.indices {
            let byte = name[index]
            guard byte == wanted[index] || byte.isUppercase && byte | 0x20 == wanted[index]
            else { return false }
        }
        return true
    }
}

extension [HTTPHeader] {
    /// The value of the first header of that name; `lowercased` must be in lower case.
    package func value(_ lowercased: String) -> String? {
        // A span is used, because it does not copy the headers.
        let headers = span
        for index in headers.indices where headers[index].isNamed(lowercased) {
            return headers[index].value
        }
        return nil
    }

    /// The value of the only header of that name; nil if there are several.
    package func onlyValue(_ lowercased: String) -> String? {
        count(of: lowercased) == 1 ? value(lowercased) : nil
    }

    /// How many headers have that name; `lowercased` must be in lower case.
    package func count(of lowercased: String) -> Int {
        let headers = span
        var count = 0
        for index in headers.indices where headers[index].isNamed(lowercased) { count += 1 }
        return count
    }
}

/// Limits of one exchange.
package struct HTTPLimits: Sendable, Equatable {
    package var connectMillisecondsMax: Int
    /// nil means no timeout: the Runtime API's `next` blocks until there is an invocation.
    package var totalMillisecondsMax: Int?
    package var responseBytesMax: Int

    package init(connectMillisecondsMax: Int, totalMillisecondsMax: Int?, responseBytesMax: Int) {
        self.connectMillisecondsMax = connectMillisecondsMax
        self.totalMillisecondsMax = totalMillisecondsMax
        self.responseBytesMax = responseBytesMax
    }

    package static let standard = HTTPLimits(
        connectMillisecondsMax: 2000, totalMillisecondsMax: 5000, responseBytesMax: 1 << 20)
}

package struct HTTPResponse: Sendable, Equatable {
    package let status: Int
    /// Names in lower case, in order of arrival.
    package let headers: [HTTPHeader]
    package let body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name; `name` must be in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

/// Why there is no response. `detail` is safe to log: it contains no header and no body.
package enum HTTPFailure: Error, Sendable, Equatable {
    case invalidURL
    case connectFailed(TransportProblem = .connectFailed, detail: String)
    case timedOut
    case responseTooLarge
    /// The peer may or may not have received the request.
    case interrupted(detail: String)
}

/// Why there was no response, as a code for logs and metrics.
package enum TransportProblem: String, Sendable, CaseIterable {
    case invalidURL
    case nameNotResolved
    case connectionRefused
    case hostUnreachable
    /// There is no connection, for a reason without a case of its own.
    case connectFailed
    /// There are no trusted certificate authorities.
    case noAuthorities
    case unknownAuthority
    case certificateExpired
    case certificateNotYetValid
    /// The certificate is for other host names.
    case wrongHost
    /// The certificate was refused for another reason.
    case certificateRefused
    case tlsFailed
    case timedOut
    case interrupted
    case responseTooLarge
}

extension HTTPFailure {
    package var problem: TransportProblem {
        switch self {
        case .invalidURL: .invalidURL
        case .connectFailed(let problem, _): problem
        case .timedOut: .timedOut
        case .responseTooLarge: .responseTooLarge
        case .interrupted: .interrupted
        }
    }

    package var detail: String {
        switch self {
        case .connectFailed(_, let detail), .interrupted(let detail): detail
        case .invalidURL: "the URL is invalid"
        case .timedOut: "the time limit was reached"
        case .responseTooLarge: "the response is over its limit"
        }
    }
}

/// Sends requests and waits for their responses. Never follows redirects.
package struct HTTPTransport: Sendable {
    package typealias Outcome = Result<HTTPResponse, HTTPFailure>

    package let send: @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse
    /// Sends independent requests, concurrently where possible, and waits for all. The results are
    /// in the order of the requests; each request has its own limits, and a failure does not affect
    /// the others.
    package let sendAll: @Sendable ([HTTPRequest]) -> [Outcome]

    /// - Parameter sendAll: by default, sends one request after the other.
    package init(
        send: @escaping @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse,
        sendAll: (@Sendable ([HTTPRequest]) -> [Outcome])? = nil
    ) {
        self.send = send
        self.sendAll =
            sendAll
            ?? { requests in
                requests.map { request in
                    Result { () throws(HTTPFailure) in try send(request) }
                }
            }
    }
}
