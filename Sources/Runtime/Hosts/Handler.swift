package import JSON
package import Time

/// The function to run, as a value: `FunctionMain` does the input and output.
package enum Handler: Sendable {
    /// Handles a request. It cannot throw: an error is a reply too.
    case request(@Sendable (Request) -> Reply)
    /// Receives the event as it is and returns JSON, for authorizers.
    case event(@Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON)
}

/// What a host provides with an event.
package struct InvocationContext: Sendable, Equatable {
    package let requestID: String
    package let deadline: Instant?

    package init(requestID: String, deadline: Instant? = nil) {
        self.requestID = requestID
        self.deadline = deadline
    }
}

/// A failed invocation, as reported to Lambda. The invoker sees the exact message: REST API
/// responds with 401 if an authorizer fails with exactly `Unauthorized`.
package struct FunctionError: Error, Sendable, Equatable {
    package let type: String
    package let message: String

    package init(type: String, message: String) {
        self.type = type
        self.message = message
    }
}

/// Why a function cannot start: all problems at once. Each names the variable and the rule, never
/// the value.
package struct StartFailure: Error, Sendable, Equatable {
    package var problems: [String]

    package init(problems: [String]) { self.problems = problems }
}
