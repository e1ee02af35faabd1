import EmulatorDynamoDB
import HTTP
import JSON

/// Planted bugs of the DynamoDB client, applied to the bytes between it and the service.
enum DynamoDBBug: String, CaseIterable, Sendable {
    case missingCondition = "missing-condition"
    case expiredIsThere = "expired-is-there"
    case twoWrites = "two-writes"
    case noToken = "no-token"
    case firstReason = "first-reason"
    case eventualReads = "eventual-reads"
    case ignoredLastKey = "ignored-last-key"
    case ignoredUnprocessedKeys = "ignored-unprocessed-keys"
    case throttlingIsConflict = "throttling-is-conflict"
    case throttledIsDone = "throttled-is-done"
    case expiredIsRead = "expired-is-read"
    case earlyTimeToLive = "early-time-to-live"
    case unsentIsDone = "unsent-is-done"

    var what: String {
        switch self {
        case .missingCondition: "the last condition of an expression is left out"
        case .expiredIsThere: "a row that has expired makes the condition `absent` fail"
        case .twoWrites: "the writes of a transaction are made one after the other"
        case .noToken: "a transaction is repeated without an idempotency token"
        case .firstReason: "only the first reason of a cancelled transaction is read"
        case .eventualReads: "reads are not consistent"
        case .ignoredLastKey: "the `LastEvaluatedKey` of a page is ignored"
        case .ignoredUnprocessedKeys: "the `UnprocessedKeys` of a batch are ignored"
        case .throttlingIsConflict: "a throttled write counts as one whose condition failed"
        case .throttledIsDone: "a throttled write counts as made"
        case .expiredIsRead: "rows that have expired are read until they are removed"
        case .earlyTimeToLive: "`ttl` is an hour early"
        case .unsentIsDone: "a write that could not be sent counts as made"
        }
    }

    /// Changes requests of the store.
    func changing(_ call: DynamoDBRequest) -> DynamoDBRequest {
        switch self {
        case .missingCondition: call.changingWrites { $0.changeCondition { $0.removeLast() } }
        case .expiredIsThere:
            call.changingWrites { write in
                write.changeCondition { parts in parts = parts.map(Self.withoutExpiry) }
            }
        case .noToken: call.changing { $0["ClientRequestToken"] = nil }
        case .eventualReads: call.changing { $0.readEventually() }
        case .earlyTimeToLive:
            call.changingWrites { write in
                write.change("Item") { item in
                    guard let text = item["ttl"]?["N"]?.stringValue, let end = Int64(text) else {
                        return
                    }
                    item["ttl"] = ["N": .string("\(end - 3600)")]
                }
            }
        case .twoWrites, .firstReason, .ignoredLastKey, .ignoredUnprocessedKeys,
            .throttlingIsConflict, .throttledIsDone, .expiredIsRead, .unsentIsDone:
            call
        }
    }

    /// Changes responses to the store.
    func changing(_ answer: HTTPResponse) -> HTTPResponse {
        switch self {
        case .firstReason:
            answer.changed { body in
                guard let reasons = body["CancellationReasons"]?.arrayValue else { return }
                body["CancellationReasons"] = .array(Array(reasons.prefix(1)))
            }
        case .ignoredLastKey: answer.changed { $0["LastEvaluatedKey"] = nil }
        case .ignoredUnprocessedKeys:
            answer.changed { body in
                if body["UnprocessedKeys"] != nil { body["UnprocessedKeys"] = [:] }
            }
        case .throttlingIsConflict:
            answer.changed { body in
                if let reasons = body["CancellationReasons"]?.arrayValue {
                    body["CancellationReasons"] = .array(reasons.map(Self.conflictIfThrottled))
                } else if Self.isThrottling(body["__type"]) {
                    body["__type"] = "ConditionalCheckFailedException"
                }
            }
        case .expiredIsRead: answer.changed { $0.removeExpiries() }
        case .missingCondition, .expiredIsThere, .twoWrites, .noToken, .eventualReads,
            .earlyTimeToLive, .throttledIsDone, .unsentIsDone:
            answer
        }
    }

    private static func isThrottling(_ code: JSON?) -> Bool {
        guard let code = code?.stringValue else { return false }
        return ["Throttling", "ThroughputExceeded", "RequestLimitExceeded"].contains {
            code.contains($0)
        }
    }

    private static func conflictIfThrottled(_ reason: JSON) -> JSON {
        isThrottling(reason["Code"]) ? ["Code": "ConditionalCheckFailed"] : reason
    }

    /// `(attribute_not_exists(#n0) OR #n1 <= :v0)` becomes `attribute_not_exists(#n0)`.
    private static func withoutExpiry(_ part: String) -> String {
        guard part.contains(" <= "), let end = part.firstRange(of: " OR ") else { return part }
        return String(part[..<end.lowerBound].dropFirst())
    }
}

extension DynamoDBRequest {
    fileprivate func changing(_ change: (inout JSONObject) -> Void) -> DynamoDBRequest {
        var json = json
        change(&json)
        return with(json)
    }

    /// Changes puts and deletions, including those in a transaction.
    fileprivate func changingWrites(
        _ change: (inout JSONObject) -> Void
    ) -> DynamoDBRequest {
        switch operation {
        case "PutItem", "DeleteItem": return changing(change)
        case "TransactWriteItems":
            return changing { json in
                let items = json["TransactItems"]?.arrayValue ?? []
                json["TransactItems"] = .array(
                    items.map { item in
                        guard var action = item.objectValue else { return item }
                        for name in ["Put", "Delete"] { action.change(name, change) }
                        return .object(action)
                    })
            }
        default: return self
        }
    }
}

extension JSONObject {
    fileprivate mutating func change(_ name: String, _ change: (inout JSONObject) -> Void) {
        guard var object = self[name]?.objectValue else { return }
        change(&object)
        self[name] = .object(object)
    }

    /// Changes the parts of a condition, and removes placeholders that are no longer used.
    fileprivate mutating func changeCondition(_ change: (inout [String]) -> Void) {
        guard let text = self["ConditionExpression"]?.stringValue else { return }
        var parts = text.split(separator: " AND ").map(String.init)
        change(&parts)
        let condition = parts.joined(separator: " AND ")
        self["ConditionExpression"] = parts.isEmpty ? nil : .string(condition)
        let used = condition.split { !($0.isLetter || $0.isNumber || $0 == "#" || $0 == ":") }
        for name in ["ExpressionAttributeNames", "ExpressionAttributeValues"] {
            self.change(name) { placeholders in
                for member in placeholders.members
                where !used.contains(where: { $0 == member.name }) {
                    placeholders[member.name] = nil
                }
            }
            if self[name]?.objectValue?.isEmpty == true { self[name] = nil }
        }
    }

    fileprivate mutating func readEventually() {
        self["ConsistentRead"] = nil
        change("RequestItems") { tables in
            for member in tables.members {
                tables.change(member.name) { $0["ConsistentRead"] = nil }
            }
        }
    }

    /// Removes the expiry times from the items of a response.
    fileprivate mutating func removeExpiries() {
        func lasting(_ item: JSON) -> JSON {
            guard var item = item.objectValue else { return item }
            item["expiresAtMs"] = nil
            return .object(item)
        }
        if let item = self["Item"] { self["Item"] = lasting(item) }
        if let items = self["Items"]?.arrayValue { self["Items"] = .array(items.map(lasting)) }
        change("Responses") { tables in
            for member in tables.members {
                tables[member.name] = .array((member.value.arrayValue ?? []).map(lasting))
            }
        }
    }
}
