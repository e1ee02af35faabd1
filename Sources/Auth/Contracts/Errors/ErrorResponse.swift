package import AuthDomain
internal import AuthOperations
internal import Bytes
package import FunctionRuntime
internal import JSON
internal import Time

/// An error response, before a contract wraps it in its envelope.
package struct ErrorResponse: Sendable {
    package var status: Int
    package var code: ErrorCode
    package var message: String
    /// The invalid field of the request.
    package var field: String?
    /// Why the application's hook refused the request: a short code that the hook chooses.
    package var reason: String?
    package var headers: [(name: String, value: String)]

    package init(
        _ status: Int, _ code: ErrorCode, _ message: String, field: String? = nil,
        reason: String? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
        self.headers = headers
    }

    func adding(_ name: String, _ value: String) -> ErrorResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }

    /// The challenge of RFC 6750 section 3.
    func challenging(_ error: String? = nil) -> ErrorResponse {
        adding("www-authenticate", error.map { "Bearer error=\"\($0)\"" } ?? "Bearer")
    }

    /// The challenge of RFC 9470 section 3.
    func challenging(for requirement: ProofRequirement) -> ErrorResponse {
        var challenge = "Bearer error=\"insufficient_user_authentication\""
        if requirement.strength > .oneFactor {
            challenge += ", acr_values=\"\(requirement.strength.name)\""
        }
        if let age = requirement.ageMax { challenge += ", max_age=\"\(age.seconds)\"" }
        return adding("www-authenticate", challenge)
    }

    /// The challenge of RFC 9449 section 7.1.
    func challengingForProof(_ error: String) -> ErrorResponse {
        adding(
            "www-authenticate",
            "DPoP error=\"\(error)\", "
                + "algs=\"\(PublishKeys.proofAlgorithms.joined(separator: " "))\"")
    }
}

/// An error code. Only literals can become one, so it cannot contain request data.
package struct ErrorCode: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(stringLiteral text: StaticString) { self.text = "\(text)" }
}

/// The request that caused an error, for pages that redirect back to it.
package struct FailedRequest: Sendable {
    package let operation: AuthOperation
    package let request: Request
    /// The server's values for a page with the error.
    var server = ServerOfPage()
    /// The payload of a direct invocation that names no function; nil for any other request.
    var unaddressed: UnaddressedPayload?

    package init(_ operation: AuthOperation, _ request: Request) {
        self.operation = operation
        self.request = request
    }
}

/// An event that is neither an HTTP request nor a schedule, and names none of the functions.
struct UnaddressedPayload {
    /// The member `function` of the event.
    let name: JSON?
    let functions: [String]

    var message: String {
        let problem =
            switch name {
            case nil, .null?:
                "The event is not an HTTP request, and does not say which function it is for: "
                    + "it has no member function. Choose from \(functions.joined(separator: ", "))"
            case .string(let name)?:
                "function: \(NearestName.refusal(name, among: functions))"
            default:
                "function must be a text. Choose from \(functions.joined(separator: ", "))"
            }
        return problem + "."
    }
}

/// How a contract presents errors: differences from the standard table, and the envelope.
package struct ErrorFormat: Sendable {
    /// nil if the standard response is used.
    package let differences: @Sendable (APIError, FailedRequest) -> ErrorResponse?
    package let envelope: @Sendable (ErrorResponse, APIError, FailedRequest) -> Answer

    package init(
        differences: @escaping @Sendable (APIError, FailedRequest) -> ErrorResponse? = { _, _ in nil
        },
        envelope: @escaping @Sendable (ErrorResponse, APIError, FailedRequest) -> Answer
    ) {
        self.differences = differences
        self.envelope = envelope
    }

    package func response(to error: APIError, _ failed: FailedRequest) -> ErrorResponse {
        var response =
            differences(error, failed) ?? ErrorResponse(standard: error, of: failed.operation)
        if error == .request(.notFound), let payload = failed.unaddressed {
            response.message = payload.message
        }
        return response
    }

    package func answer(to error: APIError, _ failed: FailedRequest) -> (Answer, ErrorCode) {
        let response = response(to: error, failed)
        return (envelope(response, error, failed), response.code)
    }
}

/// Facts about the server that the administrators' sign-in page shows.
struct ServerOfPage: Sendable {
    /// The name of the app.
    var app = ""
    var issuer = ""
    /// Whether users can sign in on pages, and have roles.
    var hasAccounts = false
}

extension ServerOfPage {
    init(_ auth: AuthServices) {
        self.init(app: auth.appName, issuer: auth.issuer, hasAccounts: auth.policy.pages != nil)
    }
}
