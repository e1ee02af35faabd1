package import JSON

/// A function's response, independent of the host.
package struct Reply: Sendable {
    package enum Body: Equatable, Sendable {
        case json(JSON)
        /// A text with its media type, such as `text/html; charset=utf-8`.
        case text(String, type: String)
    }

    package var status: Int
    /// Headers that are added to the defaults of `ReplyEncoder`, and that override them.
    package var headers: [(name: String, value: String)]
    /// Complete `Set-Cookie` values.
    package var cookies: [String]
    package var body: Body?

    package init(
        status: Int, headers: [(name: String, value: String)] = [], cookies: [String] = [],
        content: Body?
    ) {
        self.status = status
        self.headers = headers
        self.cookies = cookies
        body = content
    }

    package init(
        status: Int, headers: [(name: String, value: String)] = [], cookies: [String] = [],
        body: JSON? = nil
    ) {
        self.init(status: status, headers: headers, cookies: cookies, content: body.map(Body.json))
    }
}

extension Reply.Body {
    package var type: String {
        switch self {
        case .json: "application/json"
        case .text(_, let type): type
        }
    }

    /// The body for a gateway's document.
    var text: String {
        switch self {
        case .json(let json): json.text
        case .text(let text, _): text
        }
    }

    /// The body as written for a watchdog.
    var bytes: [UInt8] {
        switch self {
        case .json(let json): json.serialized
        case .text(let text, _): Array(text.utf8)
        }
    }

    /// The body for a direct invocation, always JSON.
    var bare: [UInt8] {
        switch self {
        case .json(let json): json.serialized
        case .text(let text, _): JSON.string(text).serialized
        }
    }
}
