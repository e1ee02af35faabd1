internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JSON

/// `{"error": {"code", "message", "field", "action"}}`, with the standard codes.
enum LatchkeyErrors {
    static let format = ErrorFormat { response, error, failed in
        if let page = AdminPages.answer(to: error, response, failed) { return page }
        var body: JSONObject = [
            "code": .string(response.code.text), "message": .string(response.message),
        ]
        // The message mentions the log, because its reader is often the developer, who may not know
        // that there is one.
        if case .auth(.notConfigured) = error {
            body["message"] =
                "This server is not set up for this request: its log names the missing setting."
        }
        body["field"] = response.field.map { .string($0) }
        body["reason"] = response.reason.map { .string($0) }
        if failed.operation == .refresh {
            body["action"] = action(after: error, status: response.status)
        }
        return Answer(
            response.status, .json(["error": .object(body)]), headers: response.headers)
    }

    /// The client's next action after a failed refresh: sign in, or keep the session and retry. nil
    /// if the request itself is wrong, so that neither helps.
    private static func action(after error: APIError, status: Int) -> JSON? {
        switch error {
        case .auth(.refreshToken), .auth(.account), .request(.missingField),
            .request(.invalidField):
            "reauthenticate"
        // Retry with a new proof.
        case .auth(.proof(.expired)), .auth(.proof(.replayed)): "retry"
        case .auth, .request: status == 429 || status >= 500 ? "retry" : nil
        }
    }
}
