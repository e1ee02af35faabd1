internal import Bytes
internal import JSON

/// Parses the keys and indexes of CreateTable and UpdateTable.
enum TableSchemaReader {
    static let indexesMax = 20
    static let localIndexesMax = 5
    /// The length of an attribute name in a key or a projection.
    private static let nameLength = 1...255

    static func attributes(_ reader: inout RequestReader) throws(DynamoDBError) -> [KeyAttribute] {
        var attributes: [KeyAttribute] = []
        for (index, json) in try reader.requiredArray("AttributeDefinitions").enumerated() {
            var part = reader.part(
                try WireReader.object(json), "attributeDefinitions.\(index + 1).member")
            let name = try part.requiredString("AttributeName")
            part.checkLength(name, "AttributeName", nameLength)
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
        var parts: [KeyPart] = []
        for (index, json) in elements.enumerated() {
            var part = reader.part(try WireReader.object(json), "keySchema.\(index + 1).member")
            let name = try part.requiredString("AttributeName")
            if part.has("AttributeName") { part.checkLength(name, "AttributeName", nameLength) }
            let type = try part.word("KeyType", ["HASH", "RANGE"])
            if type == nil { part.violate(nil, "KeyType", "Member must not be null") }
            reader.include(part)
            parts.append(KeyPart(name: name, type: type ?? ""))
        }
        if parts.count > 2 {
            let shown = parts.map {
                "KeySchemaElement(attributeName=\($0.name), keyType=\($0.type))"
            }
            reader.violate(
                "[\(shown.joined(separator: ", "))]", "KeySchema",
                "Member must have length less than or equal to 2")
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

    private static let nonKeyAttributesCount = 1...20

    struct Index {
        let name: String
        let key: [KeyPart]
        let projectionType: String?
        let included: [String]?
        let throughput: Throughput?
    }

    /// Nil if the request does not have the parameter.
    static func indexes(_ reader: inout RequestReader, _ name: String) throws(DynamoDBError)
        -> [Index]?
    {
        guard let parts = try reader.array(name) else { return nil }
        let place = RequestReader.memberPath(name)
        var indexes: [Index] = []
        for (number, json) in parts.enumerated() {
            var part = reader.part(
                try WireReader.object(json), "\(place).\(number + 1).member")
            indexes.append(try index(&part))
            reader.include(part)
        }
        return indexes
    }

    static func index(_ part: inout RequestReader) throws(DynamoDBError) -> Index {
        let name = try part.requiredString("IndexName")
        part.checkName(name, "IndexName")
        let key = try keySchema(&part)
        var projection = part.part(try part.requiredObject("Projection"), "projection")
        let type = try projection.word("ProjectionType", ["ALL", "INCLUDE", "KEYS_ONLY"])
        var included: [String]?
        if let names = try projection.array("NonKeyAttributes") {
            projection.checkCount(of: names, "NonKeyAttributes", nonKeyAttributesCount)
            var texts: [String] = []
            for (index, name) in names.enumerated() {
                let text = try WireReader.text(name)
                projection.checkLength(
                    text, "NonKeyAttributes.\(index + 1).member", nameLength)
                texts.append(text)
            }
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
        if isTable, parts.count > attributes.count {
            throw .validation("Invalid KeySchema: Some index key attribute have no definition")
        }
        var typed: [KeyAttribute] = []
        for part in parts {
            guard let attribute = attributes.first(where: { $0.name.isSame(as: part.name) }) else {
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

    static func definition(
        _ index: Index, _ attributes: [KeyAttribute], space: Keyspace, isLocal: Bool = false
    ) throws(DynamoDBError) -> IndexDefinition {
        let schema = try schema(index.key, attributes, isTable: false)
        let projected: IndexDefinition.Projected
        switch (index.projectionType, index.included) {
        case (nil, _): throw .invalidParameters("Unknown ProjectionType: null")
        case ("INCLUDE", let names?):
            if let name = names.firstRepeated {
                throw .invalidParameters("Duplicate attribute name in NonKeyAttributes: \(name)")
            }
            projected = .include(names)
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
            isLocal: isLocal, throughput: index.throughput)
    }
}

extension TableSchemaReader.Index {
    func checkThroughput(isOnDemand: Bool) throws(DynamoDBError) {
        if isOnDemand, throughput != nil {
            throw .invalidParameters(
                "ProvisionedThroughput should not be specified for index: \(name) when "
                    + "BillingMode is PAY_PER_REQUEST")
        }
        if !isOnDemand, throughput == nil {
            throw .invalidParameters(
                "ProvisionedThroughput must be specified for index: \(name)")
        }
        if let throughput { try throughput.check() }
    }
}

extension Throughput {
    private static let unitsMax = 1_000_000_000_000

    func check() throws(DynamoDBError) {
        for (units, name) in [(reads, "ReadCapacityUnits"), (writes, "WriteCapacityUnits")]
        where units > Self.unitsMax {
            throw .validation("Given value \(units) for \(name) is out of bounds")
        }
    }
}

extension [String] {
    /// The first text that occurred before.
    var firstRepeated: String? {
        enumerated().first { index, text in
            self[..<index].contains { $0.isSame(as: text) }
        }?.element
    }
}
