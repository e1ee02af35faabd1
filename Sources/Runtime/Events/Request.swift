package import HTTP
package import JSON
package import Time

/// A request to a function, whichever host it runs on.
///
/// The hosts differ in header case, repeated headers, cookies, encoded paths and base64 bodies
/// ("Lambda proxy integrations" in the API Gateway developer guide, "Function URLs" in Lambda's,
/// the OpenFaaS watchdog's README). Here they are the same.
package struct Request: Sendable {
    package enum Form: Sendable, Equatable {
        case http
        /// A bare object from a direct invoke: `payload` holds it, there is no HTTP.
        case direct
        /// A rule of EventBridge: `payload` holds the event.
        case schedule
    }

    package var form: Form
    /// Upper case; empty when this is not HTTP.
    package var method: String
    /// Without stage and base path, percent-decoded, with its leading slash.
    package var path: String
    /// Decoded, in order, repeats kept.
    package var query: [(name: String, value: String)]
    /// Names in lower case, each once: repeats are joined with a comma (RFC 9110 section 5.2).
    /// `cookie` is not among them.
    package var headers: [HTTPHeader]
    package var cookies: [(name: String, value: String)]
    /// The body's own bytes, base64 undone.
    package var body: [UInt8]
    package var payload: JSONObject?
    /// The address that the gateway saw; nil where the host does not tell.
    package var sourceAddress: String?
    package var userAgent: String?
    package var requestID: String
    package var deadline: Instant?
    /// What the headers have used of `RequestLimits`.
    var headerUse = HeaderUse()
    /// Set when the caller's own request cannot be read: to be answered with a 4xx.
    package var defect: RequestDefect?

    package init(
        form: Form = .http, method: String = "", path: String = "/",
        query: [(name: String, value: String)] = [], headers: [HTTPHeader] = [],
        cookies: [(name: String, value: String)] = [], body: [UInt8] = [],
        payload: JSONObject? = nil, sourceAddress: String? = nil, userAgent: String? = nil,
        requestID: String, deadline: Instant? = nil, defect: RequestDefect? = nil
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
        self.userAgent = userAgent
        self.requestID = requestID
        self.deadline = deadline
        self.defect = defect
    }

    /// The header of that name, which is given in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The first cookie of that name.
    package func cookie(_ name: String) -> String? {
        cookies.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The first query parameter of that name.
    package func queryValue(_ name: String) -> String? {
        query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

/// What is wrong with the request itself, though the event is well formed. The caller made the
/// mistake, so the answer is a 4xx and not an error of the function.
package enum RequestDefect: Sendable, Equatable {
    /// The path has a bad percent-escape, is not UTF-8, holds a control character or is longer
    /// than `RequestLimits.pathBytesMax`.
    case path
    /// The query has a bad percent-escape or is not UTF-8.
    case query
    /// More headers, cookies or query parameters than `RequestLimits` allows, or longer ones.
    case tooManyFields
    case bodyTooLarge
}

/// How many header values a request has so far, and how many bytes of names and values.
struct HeaderUse: Sendable {
    var values = 0
    var bytes = 0
}

/// What one request may hold.
package enum RequestLimits {
    /// Values count: a header that is sent three times counts as three.
    package static let headersMax = 200
    package static let cookiesMax = 100
    package static let queryParametersMax = 100
    /// Names and values of all headers, cookies among them. API Gateway stops at 10,240 bytes;
    /// a direct invoke can hold anything.
    package static let headerBytesMax = 64 << 10
    package static let queryBytesMax = 64 << 10
    package static let pathBytesMax = 16 << 10
    /// Lambda's limit of a synchronous call, which is also ours elsewhere.
    package static let bodyBytesMax = 6 << 20
    /// An event on stdin: the body, its base64 and an envelope are within it.
    package static let eventBytesMax = 7 << 20
}
