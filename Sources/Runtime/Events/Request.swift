internal import Bytes
package import HTTP
package import JSON
package import Time

/// A request to a function, independent of the host.
///
/// The hosts differ in header case, repeated headers, cookies, encoded paths and base64 bodies
/// ("Lambda proxy integrations" in the API Gateway developer guide, "Function URLs" in Lambda's,
/// the OpenFaaS watchdog's README). This type is the common form.
package struct Request: Sendable {
    package enum Form: Sendable, Equatable {
        case http
        /// A JSON object of a direct invocation, in `payload`; not HTTP.
        case direct
        /// An EventBridge schedule: `payload` is the event.
        case schedule
    }

    package var form: Form
    /// The method in upper case; empty when this is not HTTP.
    package var method: String
    /// The path, percent-decoded, without stage and base path, with its leading slash.
    package var path: String
    /// The decoded query, in order, with duplicates.
    package var query: [(name: String, value: String)]
    /// The headers with names in lower case, without duplicates: values of repeated headers are
    /// joined with a comma (RFC 9110 section 5.2). `cookie` is not included.
    package var headers: [HTTPHeader]
    package var cookies: [(name: String, value: String)]
    /// The body, decoded from base64 if necessary.
    package var body: [UInt8]
    package var payload: JSONObject?
    /// The client's address as the gateway saw it; nil if the host does not report it.
    package var sourceAddress: String?
    /// Whether the host has added `sourceAddress` to `X-Forwarded-For`, as API Gateway does.
    package var forwardsSourceAddress: Bool
    package var userAgent: String?
    package var requestID: String
    package var deadline: Instant?
    /// The base path that was removed from `path`; empty if there was none.
    package internal(set) var basePath = ""
    /// Whether this process has received the request itself, over HTTP.
    package var isServedDirectly = false
    /// Whether the request comes from the operator, by a command in this process, which has the
    /// store and its keys. No event sets this.
    package var isOperators = false
    /// How much of the limits (`RequestLimits`) the headers have used.
    var headerUse = HeaderUse()
    /// Set if the client's request is malformed: the response is a 4xx.
    package var defect: RequestDefect?
    /// A server sets this if the request's turn would come too late. The answer is 503 with this
    /// time until the next attempt.
    package var refusedForSeconds: Int?

    package init(
        form: Form = .http, method: String = "", path: String = "/",
        query: [(name: String, value: String)] = [], headers: [HTTPHeader] = [],
        cookies: [(name: String, value: String)] = [], body: [UInt8] = [],
        payload: JSONObject? = nil, sourceAddress: String? = nil,
        forwardsSourceAddress: Bool = false, userAgent: String? = nil, requestID: String,
        deadline: Instant? = nil, defect: RequestDefect? = nil
    ) {
        self.form = form
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.cookies = cookies
        self.body = body
        self.payload = payload
        self.sourceAddress = sourceAddress
        self.forwardsSourceAddress = forwardsSourceAddress
        self.userAgent = userAgent
        self.requestID = requestID
        self.deadline = deadline
        self.defect = defect
    }

    /// The header of that name; `name` must be in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.isSame(as: name) }?.value
    }

    /// The first cookie of that name.
    package func cookie(_ name: String) -> String? {
        cookies.first { $0.name.isSame(as: name) }?.value
    }

    /// The first query parameter of that name.
    package func queryValue(_ name: String) -> String? {
        query.first { $0.name.isSame(as: name) }?.value
    }
}

/// An error in the client's request although the event is well-formed. The response is a
/// 4xx, not an error of the function.
package enum RequestDefect: Sendable, Equatable {
    /// The path has an invalid percent-escape or an escaped slash, is not UTF-8, contains a control
    /// character or is longer than `RequestLimits.pathBytesMax`.
    case path
    /// The query has an invalid percent-escape or is not UTF-8.
    case query
    /// There are more headers, cookies or query parameters than `RequestLimits` allows, or they are
    /// too long.
    case tooManyFields
    case bodyTooLarge
}

/// The number of header values so far, and the bytes of names and values.
struct HeaderUse: Sendable {
    var values = 0
    var bytes = 0
}

/// Limits of one request.
package enum RequestLimits {
    /// Counts values: a header that is sent three times counts as three.
    package static let headersMax = 200
    package static let cookiesMax = 100
    package static let queryParametersMax = 100
    /// Names and values of all headers including cookies. API Gateway's limit is 10,240 bytes; a
    /// direct invocation has none.
    package static let headerBytesMax = 64 << 10
    package static let queryBytesMax = 64 << 10
    package static let pathBytesMax = 16 << 10
    /// Lambda's limit for a synchronous invocation, used for all hosts.
    package static let bodyBytesMax = 6 << 20
    /// The limit for an event on stdin: it is large enough for a body in base64 with its envelope.
    package static let eventBytesMax = 7 << 20
}
