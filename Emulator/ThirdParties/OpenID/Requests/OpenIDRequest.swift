internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// A request that was routed to an endpoint.
struct OpenIDRequest: Sendable {
    let request: ServerRequest
    /// The path component after the endpoint's path, such as a client ID.
    let member: String?
    let now: Instant

    static let bodyBytesMax = 64 << 10

    func query() throws(OAuthError) -> OAuthParameters {
        guard let parameters = OAuthParameters(request.query ?? "") else {
            throw .oauth("invalid_request", "The query is malformed.")
        }
        return parameters
    }

    /// RFC 6749 appendix B.
    func form() throws(OAuthError) -> OAuthParameters {
        guard isForm else {
            throw .oauth(
                "invalid_request", "The body must be application/x-www-form-urlencoded.")
        }
        guard let text = String(validating: request.body, as: UTF8.self),
            let parameters = OAuthParameters(text)
        else { throw .oauth("invalid_request", "The body is malformed.") }
        return parameters
    }

    var isForm: Bool {
        let type = (request.header("content-type") ?? "").utf8.prefix { $0 != 0x3B && $0 != 0x20 }
        return type.map(\.lowercased)
            .elementsEqual("application/x-www-form-urlencoded".utf8)
    }

    /// A JSON object, whatever its declared type; an empty body is an empty object.
    func json() throws(OAuthError) -> JSON {
        guard !request.body.isEmpty else { return .object([:]) }
        do throws(JSONFailure) {
            return try JSON.parse(request.body, limits: .request)
        } catch {
            throw .own(400, "The body is not valid JSON: \(error.reason).")
        }
    }

    /// Parses a definition; errors become a response.
    static func reading<Value>(
        _ body: () throws(DefinitionFailure) -> Value
    ) throws(OAuthError) -> Value {
        do throws(DefinitionFailure) {
            return try body()
        } catch {
            throw .own(400, error.text)
        }
    }
}

/// A response, now or later.
enum OpenIDReply: Sendable {
    case now(ServerResponse)
    case after(Span, ServerResponse)
    /// Responds by a callback, once.
    case later(@Sendable (_ respond: @escaping @Sendable (ServerResponse) -> Void) -> Void)
}
