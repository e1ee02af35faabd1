internal import JSON

/// Parses the members of a request. A wrong JSON type throws; violations of the service model are
/// collected and reported together.
struct RequestReader {
    let object: JSONObject
    /// The path of this object in the request, as in messages.
    private let path: String
    private(set) var violations: [String] = []

    init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Throws the collected violations.
    func finish() throws(DynamoDBError) {
        guard !violations.isEmpty else { return }
        let noun = violations.count == 1 ? "error" : "errors"
        throw .validation(
            "\(violations.count) validation \(noun) detected: "
                + violations.joined(separator: "; "))
    }

    /// Adds the violations of a part of this request.
    mutating func include(_ part: RequestReader) { violations += part.violations }

    /// - Parameter place: the path of the part in this request: `transactItems.1.member.put`.
    func part(_ object: JSONObject, _ place: String) -> RequestReader {
        RequestReader(object, path: path + place + ".")
    }

    /// Nil if the member is absent or null.
    private func member(_ name: String) -> JSON? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    func has(_ name: String) -> Bool { member(name) != nil }

    /// A member of any JSON type.
    func json(_ name: String) -> JSON? { member(name) }

    func string(_ name: String) throws(DynamoDBError) -> String? {
        guard let json = member(name) else { return nil }
        return try WireReader.text(json)
    }

    func bool(_ name: String) throws(DynamoDBError) -> Bool? {
        guard let json = member(name) else { return nil }
        return try WireReader.bool(json)
    }

    func object(_ name: String) throws(DynamoDBError) -> JSONObject? {
        guard let json = member(name) else { return nil }
        return try WireReader.object(json)
    }

    func array(_ name: String) throws(DynamoDBError) -> [JSON]? {
        guard let json = member(name) else { return nil }
        return try WireReader.array(json)
    }

    mutating func integer(_ name: String, min: Int? = nil, max: Int? = nil) throws(DynamoDBError)
        -> Int?
    {
        guard let json = member(name) else { return nil }
        guard case .number(let number) = json, let value = number.int64.map({ Int($0) }) else {
            throw WireReader.unexpected(json, for: "Integer")
        }
        if let min, value < min {
            violate(String(value), name, "Member must have value greater than or equal to \(min)")
        }
        if let max, value > max {
            violate(String(value), name, "Member must have value less than or equal to \(max)")
        }
        return value
    }

    /// `tableName` for `TableName`.
    static func memberPath(_ name: String) -> String {
        name.first.map { $0.lowercased() + name.dropFirst() } ?? ""
    }

    mutating func violate(_ value: String?, _ name: String, _ constraint: String) {
        let shown = value.map { "'\($0)'" } ?? "null"
        let place = path + Self.memberPath(name)
        violations.append(
            "Value \(shown) at '\(place)' failed to satisfy constraint: \(constraint)")
    }
}

extension RequestReader {
    mutating func requiredObject(_ name: String) throws(DynamoDBError) -> JSONObject {
        if let object = try object(name) { return object }
        violate(nil, name, "Member must not be null")
        return JSONObject()
    }

    mutating func requiredArray(_ name: String) throws(DynamoDBError) -> [JSON] {
        if let array = try array(name) { return array }
        violate(nil, name, "Member must not be null")
        return []
    }

    mutating func requiredString(_ name: String) throws(DynamoDBError) -> String {
        if let text = try string(name) { return text }
        violate(nil, name, "Member must not be null")
        return ""
    }

    /// A value of an enumeration, listed in messages in the given order.
    mutating func word(
        _ name: String, _ words: @autoclosure () -> [String]
    ) throws(DynamoDBError) -> String? {
        guard let text = try string(name) else { return nil }
        let words = words()
        if !words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            violate(
                text, name,
                "Member must satisfy enum value set: [\(words.joined(separator: ", "))]")
        }
        return text
    }

    mutating func checkLength(_ text: String, _ name: String, _ range: ClosedRange<Int>) {
        let count = text.utf16.count
        if count < range.lowerBound {
            violate(
                text, name,
                "Member must have length greater than or equal to \(range.lowerBound)")
        }
        if count > range.upperBound {
            violate(
                text, name, "Member must have length less than or equal to \(range.upperBound)")
        }
    }

    mutating func checkCount(of elements: [JSON], _ name: String, _ range: ClosedRange<Int>) {
        guard has(name) else { return }
        if elements.count < range.lowerBound {
            violate(
                "[]", name,
                "Member must have length greater than or equal to \(range.lowerBound)")
        }
        if elements.count > range.upperBound {
            violate(
                "[\(elements.count) members]", name,
                "Member must have length less than or equal to \(range.upperBound)")
        }
    }

    /// Checks the number of elements of a list that is a value of the map.
    mutating func checkValueCount(
        of elements: [JSON], _ key: String, _ map: String, _ most: Int
    ) {
        guard !(1...most).contains(elements.count) else { return }
        violate(
            "{\(key)=[\(elements.count) members]}", map,
            "Map value must satisfy constraint: [Member must have length less than or equal to "
                + "\(most), Member must have length greater than or equal to 1]")
    }

    /// Checks the name of a table or an index.
    mutating func checkName(_ text: String, _ member: String, minLength: Int = 3) {
        let isPlain = text.utf8.allSatisfy { byte in
            Lexer.isNamePart(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        if !isPlain || text.utf8.isEmpty && minLength > 1 {
            violate(
                text, member,
                "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
        }
        checkLength(text, member, minLength...255)
    }

    /// The table's name; the member may contain its ARN.
    ///
    /// - Parameter minLength: the minimum length in the error for an empty name; item requests use
    ///   1.
    mutating func tableName(minLength: Int = 3) throws(DynamoDBError) -> String {
        let member = "TableName"
        guard var text = try string(member) else {
            violate(nil, member, "Member must not be null")
            return ""
        }
        let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
        if let slash, text.utf8.starts(with: "arn:".utf8) {
            text = String(text[text.utf8.index(after: slash)...])
        }
        checkName(text, member, minLength: text.utf8.isEmpty ? minLength : 3)
        return text
    }

    mutating func returnConsumedCapacity() throws(DynamoDBError) -> CapacityDetail {
        let text = try word("ReturnConsumedCapacity", ["INDEXES", "TOTAL", "NONE"])
        return text.flatMap(CapacityDetail.init) ?? .none
    }
}
