internal import Bytes
internal import JSON

/// `ExpressionAttributeNames` and `ExpressionAttributeValues` of one request (or one action of a
/// transaction), and which of them are used.
struct Placeholders {
    private var names: [(key: String, name: String, isUsed: Bool)] = []
    private var values: [(key: String, value: AttributeValue, isUsed: Bool)] = []

    init(names: JSONObject?, values: JSONObject?) throws(DynamoDBError) {
        if let names {
            guard !names.isEmpty else {
                throw .validation("ExpressionAttributeNames must not be empty")
            }
            for member in names.members {
                try Self.check(member.name, sigil: "#", in: "ExpressionAttributeNames")
                let name = try WireReader.text(member.value)
                try WireReader.checkName(name)
                self.names.append((member.name, name, false))
            }
        }
        guard let values else { return }
        guard !values.isEmpty else {
            throw .validation("ExpressionAttributeValues must not be empty")
        }
        for member in values.members {
            try Self.check(member.name, sigil: ":", in: "ExpressionAttributeValues")
            self.values.append((member.name, try Self.value(member), false))
        }
    }

    private static func value(_ member: (name: String, value: JSON)) throws(DynamoDBError)
        -> AttributeValue
    {
        do throws(DynamoDBError) {
            return try WireReader.value(member.value)
        } catch .validation(let reason) {
            throw .validation(
                "ExpressionAttributeValues contains invalid value: \(reason) "
                    + "for key \(member.name)")
        }
    }

    private static func check(_ key: String, sigil: StaticString, in member: String)
        throws(DynamoDBError)
    {
        let bytes = key.utf8
        guard bytes.count > 1, bytes.starts(with: sigil.description.utf8),
            bytes.dropFirst().allSatisfy(Lexer.isNamePart)
        else {
            throw .validation("\(member) contains invalid key: Syntax error; key: \"\(key)\"")
        }
    }

    mutating func name(_ key: String) -> String? {
        guard let index = names.firstIndex(where: { $0.key.isSame(as: key) }) else { return nil }
        names[index].isUsed = true
        return names[index].name
    }

    mutating func value(_ key: String) -> AttributeValue? {
        guard let index = values.firstIndex(where: { $0.key.isSame(as: key) }) else { return nil }
        values[index].isUsed = true
        return values[index].value
    }

    /// Call this after parsing: unused placeholders are an error.
    func checkAllUsed() throws(DynamoDBError) {
        try check(names.filter { !$0.isUsed }.map(\.key), "ExpressionAttributeNames")
        try check(values.filter { !$0.isUsed }.map(\.key), "ExpressionAttributeValues")
    }

    private func check(_ unused: [String], _ member: String) throws(DynamoDBError) {
        guard unused.isEmpty else {
            throw .validation(
                "Value provided in \(member) unused in expressions: keys: "
                    + "{\(unused.joined(separator: ", "))}")
        }
    }
}
