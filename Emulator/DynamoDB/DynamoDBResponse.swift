internal import Bytes
package import EmulatorBase
internal import HTTP
internal import JSON

/// An HTTP response of the service.
package struct DynamoDBResponse: Sendable, Equatable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package static func == (left: DynamoDBResponse, right: DynamoDBResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}

extension ServerResponse {
    package init(_ response: DynamoDBResponse) {
        self.init(
            status: response.status,
            headers: response.headers.map { HTTPHeader($0.name, $0.value) }, body: response.body)
    }
}

/// The body of an error response: maps errors to types, messages and statuses.
struct DynamoDBErrorBody {
    let status: Int
    let type: String
    var message: String?
    /// A few errors use a capital letter.
    var messageName = "message"
    var details: [(String, JSON)] = []

    /// The service's answer to a body that cannot be unpacked.
    static let internalFailure = DynamoDBErrorBody(status: 500, "InternalFailure")

    private init(status: Int, _ name: String) {
        self.status = status
        type = Self.envelope + name
    }

    private static let service = "com.amazonaws.dynamodb.v20120810#"
    private static let envelope = "com.amazon.coral.service#"

    init(_ refusal: DynamoDBError) {
        status =
            switch refusal {
            case .storage: 500
            default: 400
            }
        switch refusal {
        case .serialization(let reason):
            type = Self.envelope + "SerializationException"
            message = reason
            messageName = "Message"
        case .validation(let reason):
            type = "com.amazon.coral.validate#ValidationException"
            message = reason
        case .resourceNotFound(let reason):
            type = Self.service + "ResourceNotFoundException"
            message = reason
        case .resourceInUse(let reason):
            type = Self.service + "ResourceInUseException"
            message = reason
        case .limitExceeded(let reason):
            type = Self.service + "LimitExceededException"
            message = reason
        case .accessDenied(let reason):
            type = Self.envelope + "AccessDeniedException"
            message = reason
            messageName = "Message"
        case .conditionalCheckFailed(let item):
            type = Self.service + "ConditionalCheckFailedException"
            message = "The conditional request failed"
            if let item { details = [("Item", item.json)] }
        case .transactionCanceled(let reasons):
            type = Self.service + "TransactionCanceledException"
            let codes = reasons.map(\.code).joined(separator: ", ")
            message =
                "Transaction cancelled, please refer cancellation reasons for specific reasons "
                + "[\(codes)]"
            messageName = "Message"
            details = [("CancellationReasons", .array(reasons.map(\.json)))]
        case .idempotentParameterMismatch:
            type = Self.service + "IdempotentParameterMismatchException"
            message = "The provided ClientRequestToken has been used with other parameters"
            messageName = "Message"
        case .unknownOperation(let reason):
            type = Self.envelope + "UnknownOperationException"
            message = reason
        case .storage(let reason):
            type = Self.service + "InternalServerError"
            message = reason
        }
    }

    init(_ refusal: DynamoDBAccessError) {
        status = 400
        type = Self.envelope + refusal.code
        message = refusal.message
        messageName = refusal.code == "AccessDeniedException" ? "Message" : "message"
    }

    var bytes: [UInt8] {
        var members: [(String, JSON)] = [("__type", .string(type))]
        if let message { members.append((messageName, .string(message))) }
        return JSONObject(members + details).serialized
    }
}

extension CancellationReason {
    fileprivate var code: String {
        switch self {
        case .none: "None"
        case .conditionalCheckFailed: "ConditionalCheckFailed"
        case .validationError: "ValidationError"
        }
    }

    fileprivate var json: JSON {
        var members: [(String, JSON)] = [("Code", .string(code))]
        switch self {
        case .none: break
        case .conditionalCheckFailed(let item):
            members.append(("Message", "The conditional request failed"))
            if let item { members.append(("Item", item.json)) }
        case .validationError(let reason): members.append(("Message", .string(reason)))
        }
        return .object(JSONObject(members))
    }
}
