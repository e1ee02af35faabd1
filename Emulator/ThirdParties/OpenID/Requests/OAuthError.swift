internal import EmulatorBase
internal import HTTP
internal import JSON

/// An error response.
struct OAuthError: Error {
    let response: ServerResponse

    init(_ response: ServerResponse) { self.response = response }

    /// An OAuth error response (RFC 6749 section 5.2).
    static func oauth(
        _ code: String, _ description: String? = nil, status: Int = 400, headers: [HTTPHeader] = []
    ) -> OAuthError {
        var body: JSONObject = ["error": .string(code)]
        if let description { body["error_description"] = .string(description) }
        return OAuthError(.json(.object(body), status: status, headers: headers))
    }

    /// An error of the emulator's own endpoints.
    static func own(_ status: Int, _ message: String, headers: [HTTPHeader] = []) -> OAuthError {
        OAuthError(.json(["message": .string(message)], status: status, headers: headers))
    }

    static func notAllowed(_ methods: [String]) -> OAuthError {
        let list = methods.joined(separator: ", ")
        return own(405, "Method not allowed: use \(list).", headers: [HTTPHeader("Allow", list)])
    }

    static func storage(_ text: String) -> OAuthError {
        OAuthError(
            .json(["error": "server_error", "error_description": .string(text)], status: 500))
    }
}

extension ServerResponse {
    /// The response is not cacheable unless `headers` allow it, because responses may contain
    /// tokens.
    static func json(
        _ body: JSON, status: Int = 200, headers: [HTTPHeader] = []
    ) -> ServerResponse {
        var all = [HTTPHeader("Content-Type", "application/json")]
        if !headers.contains(where: { $0.isNamed("cache-control") }) {
            all.append(HTTPHeader("Cache-Control", "no-store"))
        }
        return ServerResponse(status: status, headers: all + headers, body: body.serialized)
    }
}
