package import AuthOperations
internal import Bytes
package import FunctionRuntime
internal import JSON
package import Time

/// A request as passed to an endpoint: routed, with its body parsed.
package struct Call: Sendable {
    package let caller: Caller
    /// The members of a JSON or form body, or of a direct payload.
    package let body: Fields
    package let request: Request
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
    /// The value of the header; `name` must be in lower case.
    package func header(_ name: String) -> String? { request.header(name) }
    package func cookie(_ name: String) -> String? { request.cookie(name) }
    package var path: String { request.path }
    /// When the platform ends the invocation, if it does.
    package var deadline: Instant? { request.deadline }
    package var method: String { request.method }

    /// Refuses a request from a page of another origin. Browsers state the origin of a request
    /// (Fetch Metadata; Fetch Standard section 3.1); a request without either header is not from a
    /// browser.
    package func refuseCrossOriginPage() throws(RequestError) {
        guard request.header("sec-fetch-site") != nil || request.header("origin") != nil else {
            return
        }
        guard RequestBody.isSameOrigin(request) else { throw .foreignForm }
    }
}

extension Caller {
    package init(_ request: Request) {
        let header =
            request.payload?["authorization"]?.stringValue ?? request.header("authorization")
        self.init(
            address: request.sourceAddress, userAgent: request.userAgent,
            language: request.header("accept-language"),
            bearer: BearerCredential(header: header))
        if let proof = request.header("bot-proof"), proof.utf8.count <= Self.botProofBytesMax {
            botProof = proof
        }
    }
}

extension BearerCredential {
    private static let headerBytesMax = 16 << 10

    /// RFC 6750 section 2.1; RFC 9449 section 7.1.
    package init(header: String?) {
        guard let header else {
            self = .none
            return
        }
        let bytes = header.utf8
        let space = UInt8(ascii: " ")
        guard bytes.count <= Self.headerBytesMax, let end = bytes.firstIndex(of: space) else {
            self = .malformed
            return
        }
        let token = bytes[end...].drop { $0 == space }
        guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            self = .malformed
            return
        }
        self =
            switch String(Substring(bytes[..<end])).asciiLowercased {
            case "bearer": .token(String(Substring(token)))
            case "dpop": .bound(String(Substring(token)))
            default: .malformed
            }
    }
}
