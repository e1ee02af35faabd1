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

    /// A refresh that fails says what to do: keep the session and try again, or sign in.
    private static func action(after error: APIError) -> JSON {
        switch error {
        case .auth(.refreshToken), .auth(.account), .request(.missingField),
            .request(.invalidField):
            "reauthenticate"
        // What went wrong on the way says nothing about the session.
        case .auth, .request: "retry"
        }
    }
}
