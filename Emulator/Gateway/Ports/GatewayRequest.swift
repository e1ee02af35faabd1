internal import EmulatorText
package import HTTP

/// One HTTP request as a server received it: nothing decoded, nothing reordered.
package struct GatewayRequest: Sendable {
    package var method: String
    /// Path and query as they were sent.
    package var target: String
    /// In the order and the case in which they were sent.
    package var headers: [HTTPHeader]
    package var body: [UInt8]
    package var sourceAddress: String
    /// `HTTP/1.1`
    package var protocolVersion: String
    /// The port that was connected to.
    package var port: UInt16
    package var isSecure: Bool

    package init(
        method: String, target: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
        sourceAddress: String = "127.0.0.1", protocolVersion: String = "HTTP/1.1",
        port: UInt16 = 443, isSecure: Bool = true
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.sourceAddress = sourceAddress
        self.protocolVersion = protocolVersion
        self.port = port
        self.isSecure = isSecure
    }

    /// The first header of that name, which is given in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// What a gateway counts against its limit: the request line and the headers, with their
    /// separators.
    var headBytes: Int {
        headers.reduce(method.utf8.count + target.utf8.count + protocolVersion.utf8.count + 4) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
    }
}

/// What the caller gets. The server adds `content-length` and `date`.
package struct GatewayResponse: Sendable, Equatable {
    package var status: Int
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in whatever case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringCase(name) }?.value
    }
}
