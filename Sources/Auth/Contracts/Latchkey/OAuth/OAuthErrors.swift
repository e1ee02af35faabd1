internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON

/// `{"error": "invalid_grant", "error_description": "…"}` (OAuth 2.1 section 3.2.4).
enum OAuthErrors {
    static let format = ErrorFormat { response, error, failed in
        if case .request(.bodyTooLarge) = error, failed.operation == .registerClient {
            let refusal = APIError.auth(.oauth(.unacceptable(.tooLarge)))
            return answer(ErrorResponse(standard: refusal), refusal, failed)
        }
        return answer(response, error, failed)
    }

    private static func answer(
        _ response: ErrorResponse, _ error: APIError, _ failed: FailedRequest
    ) -> Answer {
        var headers = response.headers
        if case .auth(.oauth(.invalidClient)) = error,
            failed.request.header("authorization") != nil
        {
            headers.append(("www-authenticate", "Basic realm=\"oauth\", charset=\"UTF-8\""))
        }
        return Answer(
            status(of: error, response),
            [
                "error": .string(name(of: error, response)),
                "error_description": .string(response.message),
            ],
            headers: headers)
    }

    /// The name of OAuth's error.
    static func name(of error: APIError, _ response: ErrorResponse) -> String {
        switch error {
        case .auth(.oauth): response.code.text.asciiLowercased
        case .auth(.proof): "invalid_dpop_proof"
        case .auth(.accessToken): "invalid_token"
        case .auth(.rateLimited), .auth(.unavailable): "temporarily_unavailable"
        case .auth(.fault), .auth(.notConfigured): "server_error"
        case .auth, .request: response.status >= 500 ? "server_error" : "invalid_request"
        }
    }

    /// OAuth has no error for a body of the wrong type, so such a request is invalid (400), not of
    /// an unsupported media type (415).
    private static func status(of error: APIError, _ response: ErrorResponse) -> Int {
        if case .request(.unsupportedMediaType) = error { return 400 }
        return response.status
    }
}
