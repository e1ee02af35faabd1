package import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON
package import Time

/// A request as an endpoint sees it: routed, its body read.
package struct Call: Sendable {
    package let caller: Caller
    /// The members of a JSON or form body, or of a direct payload.
    package let body: Fields
    private let request: Request
    private let parameters: [String: String]

    init(_ request: Request, caller: Caller, parameters: [String: String], body: Fields) {
        self.request = request
        self.caller = caller
        self.parameters = parameters
        self.body = body
    }

    /// The value of a `{name}` segment of the route.
    package func parameter(_ name: String) -> String { parameters[name] ?? "" }
    /// The first query parameter of that name.
    package func query(_ name: String) -> String? { request.queryValue(name) }
    /// The header of that name, which is given in lower case.
    package func header(_ name: String) -> String? { request.header(name) }
    package func cookie(_ name: String) -> String? { request.cookie(name) }
    package var path: String { request.path }
    /// When the platform ends the invocation, where it does.
    package var deadline: Instant? { request.deadline }
}

extension Caller {
    init(_ request: Request) {
        let header =
            request.payload?["authorization"]?.stringValue ?? request.header("authorization")
        self.init(
            address: request.sourceAddress, userAgent: request.userAgent,
            language: request.header("accept-language"),
            bearer: BearerCredential(header: header))
    }
}

extension BearerCredential {
    private static let headerBytesMax = 16 << 10

    /// RFC 6750 section 2.1.
    package init(header: String?) {
        guard let header else {
            self = .none
            return
        }
        let bytes = Array(header.utf8)
        let scheme = "bearer "
        guard bytes.count > scheme.utf8.count, bytes.count <= Self.headerBytesMax,
            String(decoding: bytes[..<scheme.utf8.count], as: UTF8.self).asciiLowercased
                .isSame(as: scheme)
        else {
            self = .malformed
            return
        }
        let token = bytes[scheme.utf8.count...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            self = .malformed
            return
        }
        self = .token(String(decoding: token, as: UTF8.self))
    }
}
