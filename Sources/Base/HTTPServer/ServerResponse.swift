package import HTTP

/// A response, before the server adds the fields of the connection.
package struct ServerResponse: Sendable {
    package var status: Int
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A request has waited too long for a worker.
    static let busy = ServerResponse(refusing: 503)

    init(_ refusal: RequestRefusal) { self.init(refusing: refusal.status) }

    /// A response in the form that API Gateway gives its own errors.
    private init(refusing status: Int) {
        let body = "{\"message\":\"\(Self.reason(status))\"}"
        self.init(
            status: status, headers: [HTTPHeader("content-type", "application/json")],
            body: Array(body.utf8))
        if status == 503 { headers.append(HTTPHeader("retry-after", "1")) }
    }

    /// - Parameter method: a response to HEAD has the length and not the body (RFC 9110 section
    ///   9.3.2).
    func encoded(for method: String, closing: Bool, date: String) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(512 + body.count)
        message += "HTTP/1.1 \(status) \(Self.reason(status))\r\ndate: \(date)\r\n".utf8
        for header in headers where header.name.isHTTPToken && header.value.isHTTPFieldValue {
            // A second framing field could create a second response.
            if ["content-length", "transfer-encoding", "connection", "date"].contains(where: {
                header.isNamed($0)
            }) {
                continue
            }
            message += header.name.utf8
            message += ": ".utf8
            message += header.value.utf8
            message += "\r\n".utf8
        }
        // RFC 9110 section 8.6.
        let hasNoBody = status == 204 || status == 304
        if !hasNoBody { message += "content-length: \(body.count)\r\n".utf8 }
        if closing { message += "connection: close\r\n".utf8 }
        message += "\r\n".utf8
        if !hasNoBody, !method.utf8.elementsEqual("HEAD".utf8) { message += body }
        return message
    }

    private static func reason(_ status: Int) -> String {
        reasons.first { $0.status == status }?.text ?? "Status"
    }

    /// The reason phrases of the statuses in use; clients should ignore them (RFC 9112 section 4).
    private static let reasons: [(status: Int, text: String)] = [
        (200, "OK"), (201, "Created"), (202, "Accepted"), (204, "No Content"), (302, "Found"),
        (303, "See Other"), (304, "Not Modified"), (400, "Bad Request"), (401, "Unauthorized"),
        (403, "Forbidden"), (404, "Not Found"), (405, "Method Not Allowed"),
        (408, "Request Timeout"), (409, "Conflict"), (410, "Gone"), (413, "Content Too Large"),
        (414, "URI Too Long"), (415, "Unsupported Media Type"), (417, "Expectation Failed"),
        (422, "Unprocessable Content"), (423, "Locked"), (429, "Too Many Requests"),
        (431, "Request Header Fields Too Large"), (500, "Internal Server Error"),
        (501, "Not Implemented"), (502, "Bad Gateway"), (503, "Service Unavailable"),
        (505, "HTTP Version Not Supported"),
    ]
}
