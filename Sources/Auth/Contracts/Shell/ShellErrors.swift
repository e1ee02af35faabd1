internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JSON

/// `{"error": "<code>", "message": "…", "field": "…"}`, with the six codes of the seed.
enum ShellErrors {
    static let format = ErrorFormat(
        differences: { error, failed in
            coded(
                difference(error)
                    ?? ErrorResponse(standard: error, of: failed.operation))
        },
        envelope: { response, _, _ in
            var body: JSONObject = [
                "error": .string(response.code.text), "message": .string(response.message),
            ]
            body["field"] = response.field.map { .string($0) }
            return Answer(response.status, .json(.object(body)), headers: response.headers)
        })

    /// One code for each kind of status.
    private static func coded(_ response: ErrorResponse) -> ErrorResponse {
        var response = response
        response.code =
            switch response.status {
            case 401: "unauthorized"
            case 403: "forbidden"
            case 404: "not_found"
            case 429: "rate_limit_exceeded"
            case 500...: "internal_error"
            default: "validation_error"
            }
        return response
    }

    private static func difference(_ error: APIError) -> ErrorResponse? {
        switch error {
        case .auth(.account(.emailTaken)):
            ErrorResponse(400, "validation_error", "Email already registered", field: "email")
        case .auth(.password(.wrongCredentials)):
            ErrorResponse(401, "unauthorized", "Invalid credentials")
        // The app clears its session only if a refresh is answered with 401.
        case .auth(.refreshToken), .auth(.account(.disabled)):
            ErrorResponse(401, "unauthorized", "Invalid or expired token")
        default: nil
        }
    }
}
