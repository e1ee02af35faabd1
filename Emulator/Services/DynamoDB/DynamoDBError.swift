/// Errors of DynamoDB operations. `DynamoDBErrorBody` renders them.
package enum DynamoDBError: Error, Sendable, Equatable {
    /// The body is not JSON, or a member has the wrong JSON type.
    case serialization(String)
    case validation(String)
    case resourceNotFound(String)
    case resourceInUse(String)
    /// With the existing item, if the request asked for it.
    case conditionalCheckFailed(AttributeMap?)
    case transactionCanceled([CancellationReason])
    case idempotentParameterMismatch
    case unknownOperation
    /// The emulator's own storage failed.
    case storage(String)
}

/// The result of one action of a cancelled transaction.
package enum CancellationReason: Sendable, Equatable {
    case none
    case conditionalCheckFailed(AttributeMap?)
    case validationError(String)
}

extension DynamoDBError {
    /// A ValidationException for invalid parameter values.
    static func invalidParameters(_ reason: String) -> DynamoDBError {
        .validation("One or more parameter values were invalid: " + reason)
    }
}
