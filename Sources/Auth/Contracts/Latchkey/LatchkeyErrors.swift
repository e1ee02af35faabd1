internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JSON

/// `{"error": {"code", "message", "field", "action"}}`, with the standard codes.
enum LatchkeyErrors {
    static let format = ErrorFormat { response, error, failed in
        if let page = AdminPages.answer(to: response, failed) { return page }
        var body: JSONObject = [
            "code": .string(response.code.text), "message": .string(response.message),
        ]
        body["field"] = response.field.map { .string($0) }
        if failed.operation == .refresh { body["action"] = action(after: error) }
        return Answer(
            response.status, .json(["error": .object(body)]), headers: response.headers)
    }

    /// What a client should do after a failed refresh: keep the session and retry, or sign in.
    private static func action(after error: APIError) -> JSON {
        switch error {
        case .auth(.refreshToken), .auth(.account), .request(.missingField),
            .request(.invalidField):
            "reauthenticate"
        // Other errors say nothing about the session.
        case .auth, .request: "retry"
        }
    }
}
