/// Errors of DynamoDB operations. `DynamoDBErrorBody` renders them.
package enum DynamoDBError: Error, Sendable, Equatable {
    /// The body is not JSON, or a member has the wrong JSON type.
    case serialization(String)
    case validation(String)
    case resourceNotFound(String)
    case resourceInUse(String)
    /// With the item that is there, when it was asked for.
    case conditionalCheckFailed(AttributeMap?)
    case transactionCanceled([CancellationReason])
    case idempotentParameterMismatch
    case unknownOperation
    /// The emulator's own storage failed.
    case storage(String)
}

/// What became of one action of a transaction that was cancelled.
package enum CancellationReason: Sendable, Equatable {
    case none
    case conditionalCheckFailed(AttributeMap?)
    case validationError(String)
}

extension DynamoDBError {
    /// A ValidationException about what the parameters hold.
    static func invalidParameters(_ reason: String) -> DynamoDBError {
        .validation("One or more parameter values were invalid: " + reason)
    }
}
