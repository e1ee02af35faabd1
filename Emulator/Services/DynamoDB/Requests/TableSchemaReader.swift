internal import Bytes
internal import JSON

/// Parses the keys and indexes of CreateTable and UpdateTable.
enum TableSchemaReader {
    static let indexesMax = 20

    static func attributes(_ reader: inout RequestReader) throws(DynamoDBError) -> [KeyAttribute] {
        var attributes: [KeyAttribute] = []
        for (index, json) in try reader.requiredArray("AttributeDefinitions").enumerated() {
            var part = reader.part(
                try WireReader.object(json), "attributeDefinitions.\(index + 1).member")
            let name = try part.requiredString("AttributeName")
            part.checkLength(name, "AttributeName", 1...255)
            let word = try part.word("AttributeType", ["B", "N", "S"])
            if !part.has("AttributeType") {
                part.violate(nil, "AttributeType", "Member must not be null")
            }
            if let kind = word.flatMap(AttributeValue.Kind.init) {
                attributes.append(KeyAttribute(name: name, kind: kind))
            }
            reader.include(part)
        }
        return attributes
    }

    struct KeyPart {
        let name: String
        let type: String
    }

    static func keySchema(_ reader: inout RequestReader) throws(DynamoDBError) -> [KeyPart] {
        let elements = try reader.requiredArray("KeySchema")
        if elements.isEmpty, reader.has("KeySchema") {
            reader.violate("[]", "KeySchema", "Member must have length greater than or equal to 1")
        }
        if elements.count > 2 {
            reader.violate(
                "[\(elements.count) members]", "KeySchema",
                "Member must have length less than or equal to 2")
        }
        var parts: [KeyPart] = []
        for (index, json) in elements.enumerated() {
            var part = reader.part(try WireReader.object(json), "keySchema.\(index + 1).member")
            let name = try part.requiredString("AttributeName")
            let type = try part.word("KeyType", ["HASH", "RANGE"])
            if type == nil { part.violate(nil, "KeyType", "Member must not be null") }
            reader.include(part)
            parts.append(KeyPart(name: name, type: type ?? ""))
        }
        return parts
    }

    static func throughput(_ reader: inout RequestReader) throws(DynamoDBError) -> Throughput? {
        guard let object = try reader.object("ProvisionedThroughput") else { return nil }
        var part = reader.part(object, "provisionedThroughput")
        let reads = try part.integer("ReadCapacityUnits", min: 1)
        if reads == nil { part.violate(nil, "ReadCapacityUnits", "Member must not be null") }
        let writes = try part.integer("WriteCapacityUnits", min: 1)
        if writes == nil { part.violate(nil, "WriteCapacityUnits", "Member must not be null") }
        reader.include(part)
        return Throughput(reads: reads ?? 1, writes: writes ?? 1)
    }

    struct Index {
        let name: String
        let key: [KeyPart]
        let projectionType: String?
        let included: [String]?
        let throughput: Throughput?
    }

    static func index(_ part: inout RequestReader) throws(DynamoDBError) -> Index {
        let name = try part.requiredString("IndexName")
        part.checkName(name, "IndexName")
        let key = try keySchema(&part)
        var projection = part.part(try part.requiredObject("Projection"), "projection")
        let type = try projection.word("ProjectionType", ["ALL", "INCLUDE", "KEYS_ONLY"])
        var included: [String]?
        if let names = try projection.array("NonKeyAttributes") {
            if names.isEmpty {
                projection.violate(
                    "[]", "NonKeyAttributes",
                    "Member must have length greater than or equal to 1")
            }
            var texts: [String] = []
            for name in names { texts.append(try WireReader.text(name)) }
            included = texts
        }
        part.include(projection)
        return Index(
            name: name, key: key, projectionType: type, included: included,
            throughput: try throughput(&part))
    }
}

extension TableSchemaReader {
    /// The key schema with its attributes' types.
    static func schema(
        _ parts: [KeyPart], _ attributes: [KeyAttribute], isTable: Bool
    ) throws(DynamoDBError) -> KeySchema {
        var typed: [KeyAttribute] = []
        for part in parts {
            guard let attribute = attributes.first(where: { $0.name.isSame(as: part.name) }) else {
                if isTable, parts.count == 2 {
                    throw .validation(
                        "Invalid KeySchema: Some index key attribute have no definition")
                }
                throw .invalidParameters(
                    "Some index key attributes are not defined in AttributeDefinitions. "
                        + "Keys: [\(parts.map(\.name).joined(separator: ", "))], "
                        + "AttributeDefinitions: "
                        + "[\(attributes.map(\.name).joined(separator: ", "))]")
            }
            typed.append(attribute)
        }
        if parts.count == 2, parts[0].name.isSame(as: parts[1].name) {
            throw .validation(
                "Both the Hash Key and the Range Key element in the KeySchema have the same name")
        }
        guard parts.first?.type == "HASH", let hash = typed.first else {
            throw .validation(
                "Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
        }
        guard parts.count == 1 || parts[1].type == "RANGE" else {
            throw .validation(
                "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
        }
        return KeySchema(hash: hash, range: typed.dropFirst().first)
    }

    /// - Parameter throughput: the table's, which is on demand if nil.
    static func definition(
        _ index: Index, _ attributes: [KeyAttribute], space: Keyspace, isProvisioned: Bool
    ) throws(DynamoDBError) -> IndexDefinition {
        let schema = try schema(index.key, attributes, isTable: false)
        let projected: IndexDefinition.Projected
        switch (index.projectionType, index.included) {
        case (nil, _): throw .invalidParameters("Unknown ProjectionType: null")
        case ("INCLUDE", let names?): projected = .include(names)
        case ("INCLUDE", nil):
            throw .invalidParameters(
                "ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
        case (let type?, _?):
            throw .invalidParameters(
                "ProjectionType is \(type), but NonKeyAttributes is specified")
        case ("ALL", nil): projected = .all
        case (_?, nil): projected = .keysOnly
        }
        return IndexDefinition(
            name: index.name, space: space, schema: schema, projected: projected,
            throughput: isProvisioned ? index.throughput : nil)
    }
}
