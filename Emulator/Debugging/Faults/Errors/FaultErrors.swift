/// The errors that faults can produce, by service. Services have additional ones that they apply
/// themselves, such as faults of identity tokens.
package enum FaultErrors {
    package static func all(_ service: FaultService) -> [FaultError] {
        switch service {
        case .route: route
        case .function: function
        case .dynamodb: dynamoDB
        case .sts: sts
        case .s3: s3
        case .ses: ses
        case .secrets: secrets
        case .provider: provider
        case .receiver: receiver
        }
    }

    package static func named(_ name: String, _ service: FaultService) -> FaultError? {
        all(service).first { $0.name == name }
    }

    /// The service's throttling error: the first of its list.
    package static func throttle(_ service: FaultService) -> FaultError { all(service)[0] }

    private static let route = [
        FaultError("TooManyRequests", 429, "Too Many Requests"),
        FaultError("Forbidden", 403, "Forbidden"),
        FaultError("InternalServerError", 500, "Internal Server Error"),
        FaultError("ServiceUnavailable", 503, "Service Unavailable"),
        FaultError("GatewayTimeout", 504, "Endpoint request timed out"),
    ]

    private static let function = [
        FaultError("TooManyRequestsException", 429, "ReservedFunctionConcurrentInvocationLimit"),
        FaultError("Unhandled", 200, "An error of a fault"),
        FaultError(
            "Runtime.ExitError", 200, "Error: Runtime exited with error: exit status 1"),
        FaultError("Sandbox.Timedout", 200, "Error: Task timed out"),
    ]

    private static let dynamoDB = [
        FaultError(
            "ProvisionedThroughputExceededException", 400,
            "The level of configured provisioned throughput for the table was exceeded. Consider "
                + "increasing your provisioning level with the UpdateTable API."),
        FaultError("ThrottlingException", 400, "Rate of requests exceeds the allowed throughput."),
        FaultError(
            "RequestLimitExceeded", 400,
            "Throughput exceeds the current throughput limit for your account."),
        FaultError("InternalServerError", 500, "Internal server error"),
        FaultError(
            "ServiceUnavailable", 503, "The service is temporarily unavailable."),
        FaultError("ConditionalCheckFailedException", 400, "The conditional request failed"),
        FaultError(
            "TransactionConflictException", 400, "Transaction is ongoing for the item"),
        FaultError(
            "TransactionInProgressException", 400,
            "The transaction with the given request token is already in progress."),
        FaultError("ResourceNotFoundException", 400, "Requested resource not found"),
        FaultError("AccessDeniedException", 400, "Access denied by a fault"),
        FaultError(
            "ExpiredTokenException", 400,
            "The security token included in the request is expired"),
        FaultError(
            "UnrecognizedClientException", 400,
            "The security token included in the request is invalid."),
    ]

    private static let sts = [
        FaultError("Throttling", 400, "Rate exceeded"),
        FaultError("InternalFailure", 500, "An internal error has occurred."),
        FaultError("ServiceUnavailable", 503, "The service is temporarily unavailable."),
        FaultError("AccessDenied", 403, "Access denied by a fault"),
        FaultError(
            "ExpiredTokenException", 400,
            "The security token included in the request is expired"),
        FaultError("IDPCommunicationError", 400, "The identity provider could not be reached."),
        FaultError(
            "PackedPolicyTooLarge", 400, "Packed policy consumes 110% of allotted space"),
    ]

    private static let s3 = [
        FaultError("SlowDown", 503, "Please reduce your request rate."),
        FaultError(
            "InternalError", 500, "We encountered an internal error. Please try again."),
        FaultError(
            "ServiceUnavailable", 503, "Service is unable to handle request."),
        FaultError("AccessDenied", 403, "Access Denied"),
        FaultError("ExpiredToken", 400, "The provided token has expired."),
        FaultError("NoSuchBucket", 404, "The specified bucket does not exist"),
        FaultError("NoSuchKey", 404, "The specified key does not exist."),
        FaultError(
            "OperationAborted", 409,
            "A conflicting conditional operation is currently in progress against this resource. "
                + "Please try again."),
        FaultError(
            "PreconditionFailed", 412,
            "At least one of the pre-conditions you specified did not hold"),
        FaultError(
            "RequestTimeout", 400,
            "Your socket connection to the server was not read from or written to within the "
                + "timeout period. Idle connections will be closed."),
    ]

    private static let ses = [
        FaultError("TooManyRequestsException", 429, "Too Many Requests"),
        FaultError("InternalServiceErrorException", 500, "Internal server error"),
        FaultError("ServiceUnavailable", 503, "The service is temporarily unavailable."),
        FaultError("AccessDeniedException", 403, "Access denied by a fault"),
    ]

    private static let secrets = [
        FaultError("ThrottlingException", 400, "Rate exceeded"),
        FaultError("InternalServiceError", 500, "An error occurred on the server side."),
        FaultError("AccessDeniedException", 400, "Access denied by a fault"),
        FaultError(
            "ResourceNotFoundException", 400,
            "Secrets Manager can't find the specified secret."),
        FaultError(
            "DecryptionFailure", 400,
            "Secrets Manager can't decrypt the protected secret text using the provided KMS key."),
        FaultError("ParameterNotFound", 400, "The parameter was not found."),
    ]

    private static let provider = [
        FaultError("slow_down", 429, "Too many requests."),
        FaultError("server_error", 500, "The server encountered an unexpected condition."),
        FaultError("temporarily_unavailable", 503, "The server is overloaded or in maintenance."),
        FaultError("invalid_client", 401, "Client authentication failed."),
        FaultError("invalid_grant", 400, "The grant is invalid, expired or revoked."),
    ]

    private static let receiver = [
        FaultError("TooManyRequests", 429, "Too Many Requests"),
        FaultError("BadRequest", 400, "Bad Request"),
        FaultError("NotFound", 404, "Not Found"),
        FaultError("InternalServerError", 500, "Internal Server Error"),
        FaultError("ServiceUnavailable", 503, "Service Unavailable"),
    ]
}

extension FaultRule {
    /// Whether only the service itself can produce the error, such as a wrong identity token.
    var isAppliedByService: Bool {
        guard case .error(let name) = effect else { return false }
        return FaultErrors.named(name, match.service) == nil
    }
}
