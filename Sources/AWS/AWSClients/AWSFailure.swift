package import HTTP
package import JSON

/// Why a call to AWS has no result, after all attempts.
package enum AWSFailure: Error, Sendable, Equatable {
    /// The service answered, with an error.
    case refused(AWSRefusal)
    /// Nothing was sent: there are no credentials to sign with.
    case credentials(CredentialsFailure)
    /// Nobody answered. With `mayHaveHappened` the service may have done it all the same.
    case unreachable(HTTPFailure, mayHaveHappened: Bool)
    /// An answer that cannot be read or whose checksum is wrong; what was asked may have happened.
    case malformedResponse

    /// Whether the same call may work later, with nothing changed.
    package var isTransient: Bool {
        switch self {
        case .refused(let refusal): refusal.retry != .hopeless
        case .credentials(let failure): failure == .unavailable
        case .unreachable(let failure, _): failure != .invalidURL
        case .malformedResponse: true
        }
    }
}

/// The service's own error.
package struct AWSRefusal: Sendable, Equatable {
    static let messageBytesMax = 1024

    package let status: Int
    /// `ConditionalCheckFailedException`, without a namespace; empty when there was none.
    package let code: String
    /// For people. It may quote the request, so it is not for the log.
    package let message: String
    /// The whole error where it is JSON: `Item`, `CancellationReasons`.
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

    /// The item that failed the condition, where the call asked for it.
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
            // Lost against another transaction or the limits; a failed condition is an answer.
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

// A failure is what gets logged, and `message` and `body` hold what a store holds of people.
extension AWSRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(status) \(code)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "code": code]) }
}

/// Whether another attempt makes sense, and what the last one may have done.
enum Retryability {
    case hopeless
    /// The service did nothing.
    case harmless
    /// The service may have done what was asked.
    case doubtful
}

/// What a second attempt would mean.
package enum Repetition: Sendable {
    /// Reads, and writes that carry a token or come to the same twice.
    case always
    /// For a conditional write, which would lose against its own first attempt: tried again only
    /// after answers that prove that nothing happened.
    case onlyWhenNothingHappened

    func allows(_ retry: Retryability) -> Bool {
        switch (self, retry) {
        case (_, .hopeless), (.onlyWhenNothingHappened, .doubtful): false
        case (_, .harmless), (.always, .doubtful): true
        }
    }
}
