package import JSON

/// A function's response, whichever host it runs on.
package struct Reply: Sendable {
    package enum Body: Equatable, Sendable {
        case json(JSON)
        /// With its media type, `text/html; charset=utf-8` for one.
        case text(String, type: String)
    }

    package var status: Int
    /// In addition to the defaults of `ReplyEncoder`, which they override.
    package var headers: [(name: String, value: String)]
    /// Whole `Set-Cookie` values.
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

    /// As a gateway's document holds it.
    var text: String {
        switch self {
        case .json(let json): json.text
        case .text(let text, _): text
        }
    }

    /// As a watchdog writes it out.
    var bytes: [UInt8] {
        switch self {
        case .json(let json): json.serialized
        case .text(let text, _): Array(text.utf8)
        }
    }

    /// As a direct invoke gets it: the answer of a function is always JSON.
    var bare: [UInt8] {
        switch self {
        case .json(let json): json.serialized
        case .text(let text, _): JSON.string(text).serialized
        }
    }
}
