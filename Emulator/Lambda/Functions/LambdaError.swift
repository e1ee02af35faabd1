internal import EmulatorBase
internal import HTTP
internal import JSON

/// Errors of the Lambda API, byte for byte where they are known (Lambda API Reference, "Invoke").
enum LambdaError: Error, Equatable {
    case notFound(String)
    case invalidName(String)
    case invalidParameter(String)
    case invalidContent(String)
    case notJSON(word: String)
    case requestTooLarge(bytesMax: Int)
    case throttled(reason: String)
    case queueFull
    case notHere(String, String)

    func response(_ requestID: String) -> ServerResponse {
        var headers = [
            HTTPHeader("Content-Type", "application/json"),
            HTTPHeader("x-amzn-RequestId", requestID), HTTPHeader("x-amzn-ErrorType", type),
        ]
        if status == 429 { headers.append(HTTPHeader("Retry-After", "1")) }
        return ServerResponse(status: status, headers: headers, body: body.serialized)
    }

    private var status: Int {
        switch self {
        case .notFound, .notHere: 404
        case .invalidName, .invalidParameter, .invalidContent, .notJSON: 400
        case .requestTooLarge: 413
        case .throttled, .queueFull: 429
        }
    }

    private var type: String {
        switch self {
        case .notFound: "ResourceNotFoundException"
        case .invalidName: "ValidationException"
        case .invalidParameter: "InvalidParameterValueException"
        case .invalidContent, .notJSON: "InvalidRequestContentException"
        case .requestTooLarge: "RequestTooLargeException"
        case .throttled, .queueFull: "TooManyRequestsException"
        case .notHere: "UnknownOperationException"
        }
    }

    /// Only one of the errors writes `Message` with a capital letter.
    private var body: JSON {
        switch self {
        case .notFound(let arn):
            ["Type": "User", "Message": .string("Function not found: \(arn)")]
        case .invalidName(let name):
            [
                "message": .string(
                    "1 validation error detected: Value '\(name)' at 'functionName' failed to "
                        + "satisfy constraint: Member must satisfy regular expression pattern: "
                        + Self.namePattern)
            ]
        case .invalidParameter(let message), .invalidContent(let message):
            ["Type": "User", "message": .string(message)]
        case .notJSON(let word):
            [
                "Type": "User",
                "message": .string(
                    "Could not parse request body into json: Could not parse payload into json: "
                        + "Unrecognized token '\(word)': was expecting (JSON String, Number, "
                        + "Array, Object or token 'null', 'true' or 'false')"),
            ]
        case .requestTooLarge(let bytesMax):
            [
                "Type": "User",
                "message": .string(
                    "Request must be smaller than \(bytesMax) bytes for the InvokeFunction "
                        + "operation"),
            ]
        case .throttled(let reason):
            ["Reason": .string(reason), "Type": "User", "message": "Rate Exceeded."]
        case .queueFull:
            ["Reason": "CallerRateLimitExceeded", "Type": "User", "message": "Rate Exceeded."]
        case .notHere(let method, let path):
            ["message": .string("Not found: \(method) \(path)")]
        }
    }

    private static let namePattern =
        "(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{1}:)?"
        + "(\\d{12}:)?(function:)?([a-zA-Z0-9-_\\.]+)(:(\\$LATEST|[a-zA-Z0-9-_]+))?"
}
