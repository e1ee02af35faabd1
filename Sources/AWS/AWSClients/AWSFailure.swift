package import HTTP
package import JSON

/// Why a call to AWS failed after all attempts.
package enum AWSFailure: Error, Sendable, Equatable {
    case refused(AWSRefusal)
    /// Nothing was sent, because there are no credentials for the signature.
    case credentials(CredentialsFailure)
    /// There was no response. If `mayHaveHappened`, the service may have processed the request.
    case unreachable(HTTPFailure, mayHaveHappened: Bool)
    /// The response cannot be parsed or has a wrong checksum. The request may have been processed.
    case malformedResponse

    /// Whether the same call may succeed later.
    package var isTransient: Bool {
        switch self {
        case .refused(let refusal): refusal.retry != .hopeless
        case .credentials(let failure): failure == .unavailable
        case .unreachable(let failure, _): failure != .invalidURL
        case .malformedResponse: true
        }
    }
}

/// An error response of the service.
package struct AWSRefusal: Sendable, Equatable {
    static let messageBytesMax = 1024

    package let status: Int
    /// `ConditionalCheckFailedException`, without a namespace; empty if absent.
    package let code: String
    /// The message may quote the request, so it must not be logged.
    package let message: String
    /// The error body if it is JSON: `Item`, `CancellationReasons`.
    package let body: JSONObject?

    package init(status: Int, code: String, message: String = "", body: JSONObject? = nil) {
        self.status = status
        self.code = code
        self.message = String(decoding: message.utf8.prefix(Self.messageBytesMax), as: UTF8.self)
        self.body = body
    }

    /// The codes of `TransactionCanceledException`, one per action in order; `None` is a code.
    package var cancellationCodes: [String] {
        (body?["CancellationReasons"]?.arrayValue ?? []).map { $0["Code"]?.stringValue ?? "" }
    }

    /// The item for which the condition failed, if the call asked for it.
    package var item: JSONObject? { body?["Item"]?.objectValue }

    var retry: Retryability {
        switch code {
        case "ThrottlingException", "Throttling", "ThrottledException", "RequestThrottled",
            "RequestThrottledException", "TooManyRequestsException", "RequestLimitExceeded",
            "ProvisionedThroughputExceededException", "BandwidthLimitExceeded", "SlowDown",
            "PriorRequestNotComplete", "TransactionInProgressException",
            "TransactionConflictException":
            return .harmless
        case "TransactionCanceledException":
            // Conflicts with other transactions and throttling may be retried; a failed condition
            // is a result.
            let excused: Set = [
                "None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded",
            ]
            let codes = cancellationCodes
            let isExcused = codes.contains { $0 != "None" } && codes.allSatisfy(excused.contains)
            return isExcused ? .harmless : .hopeless
        case "RequestTimeout", "RequestTimeoutException", "InternalServerError":
            return .doubtful
        default:
            if status == 429 { return .harmless }
            return status >= 500 ? .doubtful : .hopeless
        }
    }
}

// Failures are logged, and `message` and `body` can contain personal data from the store.
extension AWSRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(status) \(code)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "code": code]) }
}

/// Whether a retry makes sense, and whether the last attempt may have had an effect.
enum Retryability {
    case hopeless
    /// The service has not processed the request.
    case harmless
    /// The service may have processed the request.
    case doubtful
}

/// Whether a call may be sent again.
package enum Repetition: Sendable {
    /// Reads, idempotent writes, and writes with an idempotency token.
    case always
    /// A conditional write, which would conflict with its own first attempt. It is retried only if
    /// the response proves that nothing was written.
    case onlyWhenNothingHappened

    func allows(_ retry: Retryability) -> Bool {
        switch (self, retry) {
        case (_, .hopeless), (.onlyWhenNothingHappened, .doubtful): false
        case (_, .harmless), (.always, .doubtful): true
        }
    }
}
