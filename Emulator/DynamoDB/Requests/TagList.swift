internal import Bytes
internal import JSON

/// The tags of a table.
enum TagList {
    typealias Tag = (key: String, value: String)

    private static let countMax = 50
    private static let keyLength = 1...128
    private static let valueLength = 0...256

    static func read(_ reader: inout RequestReader) throws(DynamoDBError) -> [Tag] {
        var tags: [Tag] = []
        for (index, json) in (try reader.array("Tags") ?? []).enumerated() {
            var part = reader.part(try WireReader.object(json), "tags.\(index + 1).member")
            let key = try part.requiredString("Key")
            if part.has("Key") { part.checkLength(key, "Key", keyLength) }
            let value = try part.requiredString("Value")
            part.checkLength(value, "Value", valueLength)
            reader.include(part)
            tags.append((key, value))
        }
        return tags
    }

    static func check(_ tags: [Tag]) throws(DynamoDBError) {
        for (index, tag) in tags.enumerated() {
            guard isValid(tag.key) else { throw invalid("Key", tag.key) }
            guard isValid(tag.value) else { throw invalid("Value", tag.value) }
            guard !tags[..<index].contains(where: { $0.key.isSame(as: tag.key) }) else {
                throw .validation("Duplicate tag key found: \(tag.key)")
            }
        }
        guard tags.count <= countMax else {
            throw .validation("The number of tags exceeds the limit of \(countMax) per resource")
        }
    }

    /// Adds tags to the others. A new tag replaces one with the same key.
    static func merged(_ tags: [Tag], _ added: [Tag]) throws(DynamoDBError) -> [Tag] {
        try check(added)
        let kept = tags.filter { tag in !added.contains { $0.key.isSame(as: tag.key) } }
        let merged = kept + added
        guard merged.count <= countMax else {
            throw .validation("The number of tags exceeds the limit of \(countMax) per resource")
        }
        return merged
    }

    /// Letters, digits and white space of any script, and `_ . : / = + - @`.
    private static func isValid(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                .otherLetter, .decimalNumber, .letterNumber, .otherNumber, .spaceSeparator,
                .lineSeparator, .paragraphSeparator:
                true
            default: "_.:/=+-@".unicodeScalars.contains(scalar)
            }
        }
    }

    private static func invalid(_ part: String, _ text: String) -> DynamoDBError {
        .validation("The Tag \(part) '\(text)' is invalid: it contains invalid characters")
    }
}
