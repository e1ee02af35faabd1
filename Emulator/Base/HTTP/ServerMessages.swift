package import HTTP

/// A request as received: nothing is decoded, merged or reordered.
package struct ServerRequest: Sendable {
    package var method: String
    /// The path and the query of the request line.
    package var target: String
    /// The headers as sent, including the case of names.
    package var headers: [HTTPHeader]
    package var body: [UInt8]
    /// The trailer fields of a chunked body.
    package var trailers: [HTTPHeader]
    /// The addresses of the connection.
    package var peer: ServerAddress
    package var local: ServerAddress
    /// Whether the request was received over TLS.
    package var isSecure: Bool

    package init(
        method: String, target: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
        trailers: [HTTPHeader] = [], peer: ServerAddress = .unknown,
        local: ServerAddress = .unknown, isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.trailers = trailers
        self.peer = peer
        self.local = local
        self.isSecure = isSecure
    }

    package var path: Substring { target[..<pathEnd] }

    private var pathEnd: String.Index {
        target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    }

    /// The part after the first question mark; nil if there is none.
    package var query: Substring? {
        let pathEnd = pathEnd
        return pathEnd == target.endIndex ? nil : target[target.utf8.index(after: pathEnd)...]
    }

    /// The first header of that name; `name` is in lower case.
    package func header(_ name: String) -> String? {
        headers.value(name)
    }
}

package struct ServerResponse: Sendable, Equatable {
    package var status: Int
    /// The headers, without those that the server sets: `Content-Length` (except for `HEAD`),
    /// `Date`, `Connection` and `Transfer-Encoding`.
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(_ response: HTTPResponse) {
        self.init(status: response.status, headers: response.headers, body: response.body)
    }

    /// The first header of that name; `name` is in lower case.
    package func header(_ name: String) -> String? {
        headers.value(name)
    }

    /// An error response of the server itself.
    package static func refusal(_ status: Int, _ message: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/json")],
            body: Array(#"{"message":"\#(message)"}"#.utf8))
    }
}

/// An IPv4 address and a port.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: UInt32
    package let port: UInt16

    package init(host: UInt32, port: UInt16) {
        self.host = host
        self.port = port
    }

    package static let unknown = ServerAddress(host: 0, port: 0)

    /// `127.0.0.1`
    package var hostText: String {
        var text: [UInt8] = []
        text.reserveCapacity(15)
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            let number = UInt8(truncatingIfNeeded: host >> shift)
            if number >= 100 { text.append(0x30 + number / 100) }
            if number >= 10 { text.append(0x30 + number / 10 % 10) }
            text.append(0x30 + number % 10)
            if shift > 0 { text.append(UInt8(ascii: ".")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package var description: String { "\(hostText):\(port)" }
}
