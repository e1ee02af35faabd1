internal import JSON

/// All operations by name.
enum DynamoDBOperation: String, CaseIterable {
    case createTable = "CreateTable"
    case describeTable = "DescribeTable"
    case listTables = "ListTables"
    case updateTable = "UpdateTable"
    case deleteTable = "DeleteTable"
    case updateTimeToLive = "UpdateTimeToLive"
    case describeTimeToLive = "DescribeTimeToLive"
    case putItem = "PutItem"
    case getItem = "GetItem"
    case updateItem = "UpdateItem"
    case deleteItem = "DeleteItem"
    case query = "Query"
    case scan = "Scan"
    case batchGetItem = "BatchGetItem"
    case batchWriteItem = "BatchWriteItem"
    case transactGetItems = "TransactGetItems"
    case transactWriteItems = "TransactWriteItems"
    case describeEndpoints = "DescribeEndpoints"
    case describeLimits = "DescribeLimits"
    case describeContinuousBackups = "DescribeContinuousBackups"
    case tagResource = "TagResource"
    case untagResource = "UntagResource"
    case listTagsOfResource = "ListTagsOfResource"

    static let prefix = "DynamoDB_20120810."

    /// `DynamoDB_20120810.GetItem`
    init?(target: String) {
        guard target.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.init(
            rawValue: String(decoding: target.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
        )
    }
}

extension DynamoDBService {
    /// The response body.
    func perform(
        _ operation: DynamoDBOperation, _ request: JSONObject, _ call: DynamoDBRequest
    ) throws(DynamoDBError) -> [UInt8] {
        let reader = RequestReader(request)
        switch operation {
        case .createTable: return try createTable(reader).serialized
        case .describeTable: return try describeTable(reader).serialized
        case .listTables: return try listTables(reader).serialized
        case .updateTable: return try updateTable(reader).serialized
        case .deleteTable: return try deleteTable(reader).serialized
        case .updateTimeToLive: return try updateTimeToLive(reader).serialized
        case .describeTimeToLive: return try describeTimeToLive(reader).serialized
        case .putItem: return try writeItem(.put, reader, call.origin)
        case .getItem: return try getItem(reader)
        case .updateItem: return try writeItem(.update, reader, call.origin)
        case .deleteItem: return try writeItem(.delete, reader, call.origin)
        case .query: return try query(reader)
        case .scan: return try scan(reader)
        case .batchGetItem: return try batchGetItem(reader)
        case .batchWriteItem: return try batchWriteItem(reader, call.origin).serialized
        case .transactGetItems: return try transactGetItems(reader)
        case .transactWriteItems: return try transactWriteItems(reader, call.origin).serialized
        case .describeEndpoints: return describeEndpoints(call.host).serialized
        case .describeLimits: return describeLimits().serialized
        case .describeContinuousBackups: return try describeContinuousBackups(reader).serialized
        case .tagResource: return try tagResource(reader)
        case .untagResource: return try untagResource(reader)
        case .listTagsOfResource: return try listTagsOfResource(reader).serialized
        }
    }
}
