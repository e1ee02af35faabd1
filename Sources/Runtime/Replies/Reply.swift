package import JSON

/// A function's response, whichever host it runs on.
package struct Reply: Sendable {
    package var status: Int
    /// In addition to the defaults of `ReplyEncoder`, which they override.
    package var headers: [(name: String, value: String)]
    /// Whole `Set-Cookie` values.
    package var cookies: [String]
    package var body: JSON?

    package init(
        status: Int, headers: [(name: String, value: String)] = [], cookies: [String] = [],
        body: JSON? = nil
    ) {
        self.status = status
        self.headers = headers
        self.cookies = cookies
        self.body = body
    }
}
