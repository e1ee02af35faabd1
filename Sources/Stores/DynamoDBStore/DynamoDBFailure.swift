internal import AWSClients
internal import HTTP
internal import KeyValueStore

/// Maps an error of the service to a `StoreFailure`. Its message is dropped, because it can quote
/// the item.
struct DynamoDBFailure {
    let table: String

    func reading(_ failure: AWSFailure) -> StoreFailure {
        switch failure {
        case .refused(let refusal): reading(refusal, isTransient: failure.isTransient)
        case .credentials(.missing): refused("there are no credentials for AWS")
        case .credentials(.invalid): refused("the credentials for AWS are not valid")
        case .credentials(.expired): unavailable("the credentials for AWS have expired")
        case .credentials(.unavailable): unavailable("no response from the source of credentials")
        case .unreachable(.invalidURL, _): refused("the endpoint is not a URL")
        case .unreachable: unavailable("no answer")
        case .malformedResponse: unavailable("malformed response")
        }
    }

    var unreadable: StoreFailure {
        .unreadable(detail: "dynamodb:\(table): a stored item cannot be read")
    }

    func unavailable(_ reason: String) -> StoreFailure {
        .unavailable(detail: "dynamodb:\(table): \(reason)")
    }

    private func refused(_ reason: String) -> StoreFailure {
        .refused(detail: "dynamodb:\(table): \(reason)")
    }

    private func reading(_ refusal: AWSRefusal, isTransient: Bool) -> StoreFailure {
        switch refusal.code {
        case "ConditionalCheckFailedException":
            return .conditionFailed
        case "TransactionCanceledException":
            let codes = refusal.cancellationCodes
            // A failed condition takes precedence over the other reasons.
            if codes.contains("ConditionalCheckFailed") { return .conditionFailed }
            let reason = "transaction cancelled: \(codes.first { $0 != "None" } ?? "no reason")"
            return isTransient ? unavailable(reason) : refused(reason)
        case "ResourceNotFoundException":
            return refused(
                "there is no such table; create it with the string keys "
                    + "\(StoredItem.partition) (partition) and \(StoredItem.sort) (sort) "
                    + "and with time to live on \(StoredItem.timeToLive)")
        case "ExpiredTokenException", "ExpiredToken", "RequestExpired":
            return unavailable(refusal.code)
        default:
            let reason = "\(refusal.code) (status \(refusal.status))"
            return isTransient ? unavailable(reason) : refused(reason)
        }
    }
}
