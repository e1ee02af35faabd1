package import AuthDomain
package import FunctionRuntime

/// An error as clients see it, before a contract puts it into its envelope.
package struct ErrorResponse: Sendable {
    package var status: Int
    package var code: ErrorCode
    package var message: String
    /// The field of the request that is meant.
    package var field: String?
    package var headers: [(name: String, value: String)]

    package init(
        _ status: Int, _ code: ErrorCode, _ message: String, field: String? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
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
}

/// A code of a contract's table. Only literals can become one, so no value of a request can.
package struct ErrorCode: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(stringLiteral text: StaticString) { self.text = "\(text)" }
}

/// The request that an error answers: a page can redirect back to it.
package struct FailedRequest: Sendable {
    package let operation: AuthOperation
    package let request: Request

    package init(_ operation: AuthOperation, _ request: Request) {
        self.operation = operation
        self.request = request
    }
}

/// How a contract shows errors: the standard table with its own differences, in its envelope.
package struct ErrorFormat: Sendable {
    /// nil where the standard response is the contract's, too.
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
        differences(error, failed) ?? ErrorResponse(standard: error)
    }

    package func answer(to error: APIError, _ failed: FailedRequest) -> (Answer, ErrorCode) {
        let response = response(to: error, failed)
        return (envelope(response, error, failed), response.code)
    }
}
