/// Errors of DynamoDB operations. `DynamoDBErrorBody` renders them.
package enum DynamoDBError: Error, Sendable, Equatable {
    /// A member has the wrong JSON type. Without a message: the body is not JSON.
    case serialization(String?)
    case validation(String)
    case resourceNotFound(String)
    case resourceInUse(String)
    case limitExceeded(String)
    case accessDenied(String)
    /// Contains the existing item, if the request asked for it.
    case conditionalCheckFailed(AttributeMap?)
    case transactionCanceled([CancellationReason])
    case idempotentParameterMismatch
    /// Has a message for an operation of AWS that the emulator does not have.
    case unknownOperation(String?)
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
