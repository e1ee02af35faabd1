internal import EmulatorDynamoDB
internal import JSON

/// A client of the emulator's DynamoDB without HTTP, signatures and faults.
struct TableClient: Sendable {
    let service: DynamoDBService

    struct Refusal: Error {
        /// `ResourceNotFoundException`
        let type: String
        let message: String
    }

    /// A page of a Scan has 1 MiB of items; as JSON, with escapes, it is several times as long.
    private static let limits = JSONLimits(bytesMax: 64 << 20, depthMax: 256, membersMax: nil)

    func ask(_ operation: String, _ request: JSONObject) throws(Refusal) -> JSON {
        let answer = service.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.\(operation)",
                contentType: "application/x-amz-json-1.0", body: request.serialized))
        guard let body = try? JSON.parse(answer.body, limits: Self.limits) else {
            throw Refusal(type: "", message: "the answer cannot be read")
        }
        guard answer.status == 200 else {
            let type = body["__type"]?.stringValue?.split(separator: "#").last.map(String.init)
            let message = body["message"] ?? body["Message"]
            throw Refusal(type: type ?? "", message: message?.stringValue ?? "refused")
        }
        return body
    }

    /// The description of a table; nil if there is none of that name.
    func table(_ name: String) -> JSON? {
        try? ask("DescribeTable", ["TableName": .string(name)])["Table"]
    }

    func names() throws(Refusal) -> [String] {
        var names: [String] = []
        while true {
            var request: JSONObject = [:]
            if let last = names.last { request["ExclusiveStartTableName"] = .string(last) }
            let answer = try ask("ListTables", request)
            names += (answer["TableNames"]?.arrayValue ?? []).compactMap(\.stringValue)
            if answer["LastEvaluatedTableName"] == nil { return names }
        }
    }
}

/// The key attributes of a table: the partition key, and the sort key if it has one.
struct TableKeys: Sendable {
    struct Attribute: Sendable {
        let name: String
        /// `S`, `N` or `B`
        let type: String
        /// `HASH` or `RANGE`
        let kind: String
    }

    let attributes: [Attribute]

    init(_ table: JSON) {
        let types = table["AttributeDefinitions"]?.arrayValue ?? []
        attributes = (table["KeySchema"]?.arrayValue ?? []).compactMap { element in
            guard let name = element["AttributeName"]?.stringValue,
                let kind = element["KeyType"]?.stringValue,
                let type = types.first(where: { $0["AttributeName"] == .string(name) })
            else { return nil }
            return Attribute(
                name: name, type: type["AttributeType"]?.stringValue ?? "", kind: kind)
        }
    }

    var json: JSON {
        .array(
            attributes.map {
                ["name": .string($0.name), "type": .string($0.type), "key": .string($0.kind)]
            })
    }

    /// The key of an item, in the form of a cursor.
    func texts(of item: JSON) -> [String] {
        attributes.map { item[$0.name]?[$0.type]?.stringValue ?? "" }
    }

    /// The key, in the form of a request.
    func key(_ texts: [String]) -> JSON {
        .object(
            JSONObject(
                zip(attributes, texts).map { attribute, text in
                    (attribute.name, .object([attribute.type: .string(text)]))
                }))
    }
}
