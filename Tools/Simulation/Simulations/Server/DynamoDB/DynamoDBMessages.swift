import EmulatorDynamoDB
import HTTP
import JSON

extension DynamoDBRequest {
    init(_ request: HTTPRequest) {
        self.init(
            target: request.headers.value("x-amz-target"),
            contentType: request.headers.value("content-type"), body: request.body)
    }

    private static let prefix = "DynamoDB_20120810."

    var operation: String { String((target ?? "").dropFirst(Self.prefix.count)) }

    var isRead: Bool { ["GetItem", "BatchGetItem", "Query", "Scan"].contains(operation) }

    private static let consistent = Array(#""ConsistentRead":true"#.utf8)

    var isConsistent: Bool {
        let member = Self.consistent
        guard body.count >= member.count else { return false }
        return (0...body.count - member.count).contains { start in
            body[start] == member[0] && body[start + 1] == member[1]
                && body[start..<start + member.count].elementsEqual(member)
        }
    }

    var json: JSONObject {
        (try? JSON.parse(body, limits: .response))?.objectValue ?? JSONObject()
    }

    func with(_ json: JSONObject, operation: String? = nil) -> DynamoDBRequest {
        DynamoDBRequest(
            target: operation.map { Self.prefix + $0 } ?? target, contentType: contentType,
            body: json.serialized)
    }

    // MARK: Parts

    /// The same read with a lower limit, so that its page ends earlier.
    func withShorterPage(at draw: (Int) -> Int) -> DynamoDBRequest {
        var json = json
        guard let limit = json["Limit"]?.int64Value, limit > 1 else { return self }
        json["Limit"] = .number(1 + draw(Int(min(limit, 4))))
        return with(json)
    }

    /// Splits a batch into its first keys and the rest.
    func parts(at draw: (Int) -> Int) -> (first: DynamoDBRequest, rest: JSONObject)? {
        guard operation == "BatchGetItem" else { return nil }
        var json = json
        guard let table = json["RequestItems"]?.objectValue?.members.first,
            var read = table.value.objectValue, let keys = read["Keys"]?.arrayValue
        else { return nil }
        let count = draw(keys.count)
        guard count > 0 else { return nil }
        read["Keys"] = .array(Array(keys[count...]))
        let rest: JSONObject = [table.name: .object(read)]
        read["Keys"] = .array(Array(keys[..<count]))
        json["RequestItems"] = .object([table.name: .object(read)])
        return (with(json), rest)
    }

    /// The writes of a transaction, each as a separate request, without the condition checks.
    var writes: [DynamoDBRequest]? {
        guard operation == "TransactWriteItems" else { return nil }
        return actions.compactMap { name, action in
            name == "ConditionCheck" ? nil : with(action, operation: name + "Item")
        }
    }

    /// The writes of a transaction, with the names of their kinds.
    private var actions: [(name: String, action: JSONObject)] {
        (json["TransactItems"]?.arrayValue ?? []).compactMap { item in
            guard let member = item.objectValue?.members.first,
                let action = member.value.objectValue
            else { return nil }
            return (member.name, action)
        }
    }

    var actionCount: Int { actions.count }
}

extension HTTPResponse {
    static let done = HTTPResponse(status: 200, body: Array("{}".utf8))

    static func refusal(
        _ code: String, status: Int = 400, _ details: JSONObject = [:]
    ) -> HTTPResponse {
        var body: JSONObject = [
            "__type": .string("com.amazonaws.dynamodb.v20120810#" + code), "message": "",
        ]
        for (name, value) in details.members { body[name] = value }
        return HTTPResponse(status: status, body: body.serialized)
    }

    static func throttled(_ call: DynamoDBRequest, at draw: (Int) -> Int) -> HTTPResponse {
        guard call.operation == "TransactWriteItems" else {
            let codes = [
                "ThrottlingException", "ProvisionedThroughputExceededException",
                "RequestLimitExceeded",
            ]
            return .refusal(codes[draw(codes.count)])
        }
        let reasons: [JSON] = ["ThrottlingError", "ProvisionedThroughputExceeded"]
        return .cancelled(reasons[draw(reasons.count)], call, at: draw)
    }

    /// The error when another transaction holds one of the rows.
    static func conflict(with call: DynamoDBRequest, at draw: (Int) -> Int) -> HTTPResponse {
        call.operation == "TransactWriteItems"
            ? .cancelled("TransactionConflict", call, at: draw)
            : .refusal("TransactionConflictException")
    }

    private static func cancelled(
        _ reason: JSON, _ call: DynamoDBRequest, at draw: (Int) -> Int
    ) -> HTTPResponse {
        var reasons = [JSON](repeating: ["Code": "None"], count: call.actionCount)
        if !reasons.isEmpty { reasons[draw(reasons.count)] = ["Code": reason] }
        return .refusal(
            "TransactionCanceledException", ["CancellationReasons": .array(reasons)])
    }

    /// The response with a truncated body and the checksum of the whole body.
    var damaged: HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Array(body.prefix(body.count / 2)))
    }

    func withUnprocessed(_ keys: JSONObject) -> HTTPResponse {
        changed { $0["UnprocessedKeys"] = .object(keys) }
    }

    /// Changes the body, and removes the checksum, which would no longer match.
    func changed(_ change: (inout JSONObject) -> Void) -> HTTPResponse {
        guard var json = (try? JSON.parse(body, limits: .response))?.objectValue else {
            return self
        }
        change(&json)
        return HTTPResponse(status: status, body: json.serialized)
    }
}
