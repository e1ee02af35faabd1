package import HTTP

/// A request as received.
package struct HTTPRequestSeen: Sendable {
    package let method: String
    /// Path and query, percent-encoded.
    package let target: String
    /// Names in lower case, in order, with duplicates.
    package let headers: [HTTPHeader]
    /// Without chunked framing.
    package let body: [UInt8]

    package init(method: String, target: String, headers: [HTTPHeader], body: [UInt8]) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The query as received; empty if there is none.
    package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

    /// The first header of that name; `name` is in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    package var bodyText: String { String(decoding: body, as: UTF8.self) }
}
