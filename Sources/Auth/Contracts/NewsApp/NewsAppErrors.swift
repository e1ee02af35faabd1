internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON

/// `{"detail": …}` in FastAPI's format: a sentence, or with status 422 the list of validation
/// errors.
enum NewsAppErrors {
    static let format = ErrorFormat(
        differences: { error, _ in
            switch error {
            case .request(let error): difference(error)
            case .auth(let error): difference(error)
            }
        },
        envelope: { response, error, failed in
            // Pages redirect the browser to the login page (NA30).
            if error == .auth(.administration(.sessionMissing)) {
                return AdminPages.redirectToLogin(from: failed.request)
            }
            if let page = AdminPages.answer(to: error, response, failed) { return page }
            var detail = JSON.string(response.message)
            if case .request(let error) = error, let problem = problem(error) {
                detail = [problem]
            }
            return Answer(response.status, ["detail": detail], headers: response.headers)
        })

    // MARK: Requests

    private static func difference(_ error: RequestError) -> ErrorResponse {
        switch error {
        case .insecureScheme: ErrorResponse(400, "HTTPS_REQUIRED", "HTTPS required")
        case .undecodablePath: ErrorResponse(400, "INVALID_REQUEST", "Bad Request")
        case .tooManyFields:
            ErrorResponse(431, "TOO_MANY_FIELDS", "Request Header Fields Too Large")
        case .notFound: ErrorResponse(404, "NOT_FOUND", "Not Found")
        case .methodNotAllowed(let allowed):
            ErrorResponse(405, "METHOD_NOT_ALLOWED", "Method Not Allowed")
                .adding("allow", allowed.joined(separator: ", "))
        case .bodyTooLarge: ErrorResponse(413, "REQUEST_TOO_LARGE", "Content Too Large")
        case .unsupportedMediaType:
            ErrorResponse(415, "UNSUPPORTED_MEDIA_TYPE", "Unsupported Media Type")
        case .foreignForm, .foreignHost: ErrorResponse(403, "FOREIGN_FORM", "Forbidden")
        case .bodyNotJSON, .bodyNotAnObject, .bodyNotAForm, .missingField, .invalidField:
            ErrorResponse(422, "INVALID_REQUEST", "Unprocessable Content")
        }
    }

    /// FastAPI's `ValidationError`: `type`, `loc`, `msg`. Its `input` is omitted, because it would
    /// repeat tokens and passwords.
    private static func problem(_ error: RequestError) -> JSON? {
        switch error {
        case .bodyNotJSON: problem("json_invalid", [], "JSON decode error")
        case .bodyNotAForm: problem("form_invalid", [], "Form decode error")
        case .bodyNotAnObject:
            problem(
                "model_attributes_type", [],
                "Input should be a valid dictionary or object to extract fields from")
        case .missingField(let field): problem("missing", path(field), "Field required")
        case .invalidField(let field, let defect): problem(defect, path(field))
        case .insecureScheme, .undecodablePath, .tooManyFields, .notFound, .methodNotAllowed,
            .bodyTooLarge, .unsupportedMediaType, .foreignForm, .foreignHost:
            nil
        }
    }

    private static func problem(_ defect: FieldDefect, _ path: [String]) -> JSON {
        switch defect {
        case .notText: problem("string_type", path, "Input should be a valid string")
        case .notInteger: problem("int_parsing", path, "Input should be a valid integer")
        case .notObject:
            problem(
                "model_attributes_type", path,
                "Input should be a valid dictionary or object to extract fields from")
        case .notFlag: problem("bool_parsing", path, "Input should be a valid boolean")
        case .notList(let itemsMax):
            problem(
                "list_type", path, "Input should be a valid list of at most \(itemsMax) items")
        case .tooLong(let bytesMax):
            problem("string_too_long", path, "String should have at most \(bytesMax) bytes")
        case .notOneOf(let choices):
            problem("enum", path, "Input should be \(choices.joined(separator: ", "))")
        case .notEmailAddress:
            problem("value_error", path, "value is not a valid email address")
        case .differsFrom(let other):
            problem("value_error", path, "Input should be the same as \(other)")
        case .unknown: problem("extra_forbidden", path, "Extra inputs are not permitted")
        case .malformedCredential(let member):
            problem("value_error", path, "\(member) is not valid")
        case .outOfRange(let range):
            problem(
                "range", path,
                "Input should be from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private static func problem(_ type: String, _ path: [String], _ message: String) -> JSON {
        // `path.content_id` is a path parameter.
        let place = path.first == "path" ? path : ["body"] + path
        return [
            "type": .string(type), "loc": .array(place.map { .string($0) }),
            "msg": .string(message),
        ]
    }

    private static func path(_ field: String) -> [String] {
        field.split(separator: ".").map(String.init)
    }

    // MARK: Operations

    /// The app handles only 401: it refreshes, and signs out if that fails (NA13).
    private static func difference(_ error: AuthError) -> ErrorResponse {
        switch error {
        case .signIn(.identityRejected(.keysUnavailable)), .unavailable:
            ErrorResponse(503, "SERVICE_UNAVAILABLE", "Service Unavailable")
                .adding("retry-after", "1")
        case .signIn:
            ErrorResponse(401, "INVALID_TOKEN", "Invalid or expired Apple identity token")
        case .refreshToken:
            ErrorResponse(401, "INVALID_REFRESH_TOKEN", "Invalid or expired refresh token")
        case .account(.disabled):
            ErrorResponse(401, "ACCOUNT_DISABLED", "Inactive user").challenging("invalid_token")
        case .accessToken(.missing):
            ErrorResponse(401, "UNAUTHORIZED", "Not authenticated").challenging()
        case .accessToken(.administratorsOnly): ErrorResponse(403, "FORBIDDEN", "Forbidden")
        case .accessToken:
            ErrorResponse(401, "UNAUTHORIZED", "Could not validate credentials")
                .challenging("invalid_token")
        case .session(.notFound): ErrorResponse(404, "NOT_FOUND", "Not Found")
        case .rateLimited(let seconds):
            ErrorResponse(429, "RATE_LIMITED", "Too Many Requests")
                .adding("retry-after", "\(seconds)")
        // Errors of operations that this contract does not have.
        case .storage, .administration, .oauth, .proof, .password, .emailLink,
            .account(.emailTaken), .account(.guest),
            .method, .secondFactor, .passkey, .hook, .device, .session(.recentSignInRequired),
            .session(.stepUpRequired),
            .notificationRejected, .notConfigured:
            ErrorResponse(standard: .auth(error))
        case .fault: ErrorResponse(500, "INTERNAL_ERROR", "Internal Server Error")
        }
    }
}
