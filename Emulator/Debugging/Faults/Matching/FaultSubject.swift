internal import Bytes
internal import JSON

/// The properties of a request that faults and gates match.
package struct FaultSubject: Sendable {
    package let service: FaultService
    package var method: String
    /// The path of a route, or the key of an object.
    package var path: String
    /// The path and the query, as sent.
    package var target: String
    package var operation: String
    /// The function, bucket or provider.
    package var name: String
    package var body: [UInt8]
    /// Whether the request uses the query protocol, if the service has several protocols.
    package let isQuery: Bool

    package init(
        _ service: FaultService, operation: String = "", name: String = "", method: String = "",
        path: String = "", target: String = "", body: [UInt8] = [], isQuery: Bool = false
    ) {
        self.service = service
        self.operation = operation
        self.name = name
        self.method = method
        self.path = path
        self.target = target
        self.body = body
        self.isQuery = isQuery
    }

    /// A text for lists and logs.
    package var text: String {
        let about = [service.rawValue, method, path, operation, name]
        return about.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The values of a property: a request may concern several tables.
    func values(_ field: FaultField) -> [String] {
        switch field {
        case .method: [method]
        case .path: [path]
        case .operation: [operation]
        case .function, .bucket, .provider: [name]
        case .table: tables
        case .contains: []
        }
    }

    /// `TableName`, and the tables of batches and transactions.
    private var tables: [String] {
        let limits = JSONLimits(bytesMax: 17 << 20, depthMax: 64, membersMax: nil)
        guard let json = try? JSON.parse(body, limits: limits) else { return [] }
        var tables = [json["TableName"]?.stringValue]
        tables += (json["RequestItems"]?.objectValue?.members ?? []).map(\.name)
        for item in json["TransactItems"]?.arrayValue ?? [] {
            for action in item.objectValue?.members ?? [] {
                tables.append(action.value["TableName"]?.stringValue)
            }
        }
        // A table may also be named by its ARN.
        return tables.compactMap(\.self).map { name in
            name.hasPrefix("arn:") ? name.split(separator: "/").last.map(String.init) ?? name : name
        }
    }

    func contains(_ text: String) -> Bool {
        body.contains(text: text) || target.utf8.contains(text: text)
    }
}
