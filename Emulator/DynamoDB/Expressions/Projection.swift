internal import Bytes

/// A projection expression: the requested parts of an item.
struct Projection {
    let paths: [DocumentPath]

    static func parse(_ text: String, _ placeholders: inout Placeholders) throws(DynamoDBError)
        -> Projection
    {
        var parser = try ExpressionParser(text, .projection, placeholders)
        var paths: [DocumentPath] = []
        repeat { paths.append(try parser.path()) } while parser.accept(",")
        if let clash = DocumentPath.clash(paths) { parser.note(.overlap, clash) }
        try parser.finish()
        placeholders = parser.placeholders
        return Projection(paths: paths)
    }

    /// Maps keep their nesting; selected list elements become adjacent, in order.
    func applied(to item: AttributeMap) -> AttributeMap {
        if paths.allSatisfy(\.rest.isEmpty) {
            return item.filter { name in paths.contains { $0.root.isSame(as: name) } }
        }
        return Self.part(of: item, paths.map { $0.elements[...] })
    }

    private typealias Tail = ArraySlice<DocumentPath.Element>

    private static func part(of map: AttributeMap, _ tails: [Tail]) -> AttributeMap {
        var members: [(name: String, value: AttributeValue)] = []
        for member in map.members {
            let inner = tails.filter { $0.first == .name(member.name) }.map { $0.dropFirst() }
            if !inner.isEmpty, let value = part(of: member.value, inner) {
                members.append((member.name, value))
            }
        }
        return AttributeMap(sorted: members)
    }

    private static func part(of value: AttributeValue, _ tails: [Tail]) -> AttributeValue? {
        if tails.contains(where: \.isEmpty) { return value }
        switch value {
        case .map(let map):
            let part = part(of: map, tails)
            return part.isEmpty ? nil : .map(part)
        case .list(let list):
            let elements = list.enumerated().compactMap { index, element in
                let inner = tails.filter { $0.first == .index(index) }.map { $0.dropFirst() }
                return inner.isEmpty ? nil : part(of: element, inner)
            }
            return elements.isEmpty ? nil : .list(elements)
        case .string, .number, .binary, .bool, .null, .stringSet, .numberSet, .binarySet:
            return nil
        }
    }
}
