internal import Bytes
internal import JSON

/// `AttributesToGet`: the names of the top-level attributes that are returned.
struct AttributesToGet {
    private static let countMax = 255

    private let names: [String]

    init?(_ reader: inout RequestReader) throws(DynamoDBError) {
        guard let elements = try reader.array("AttributesToGet") else { return nil }
        reader.checkCount(of: elements, "AttributesToGet", 1...Self.countMax)
        var names: [String] = []
        for element in elements { names.append(try WireReader.text(element)) }
        self.names = names
    }

    func projection() throws(DynamoDBError) -> Projection {
        for name in names { try WireReader.checkName(name) }
        if let name = names.firstRepeated {
            throw .invalidParameters("Duplicate value in attribute name: \(name)")
        }
        return Projection(paths: names.map { DocumentPath(root: $0, rest: []) })
    }
}
