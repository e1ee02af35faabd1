internal import Bytes

extension DynamoDBCondition {
    /// Whether the condition holds for the item; a missing item has no attributes.
    func holds(for item: AttributeMap) -> Bool {
        switch self {
        case .all(let conditions): conditions.allSatisfy { $0.holds(for: item) }
        case .any(let conditions): conditions.contains { $0.holds(for: item) }
        case .not(let condition): !condition.holds(for: item)
        case .compare(let left, let comparator, let right):
            comparator.holds(left.value(in: item), right.value(in: item))
        case .between(let subject, let low, let high):
            Self.isBetween(subject.value(in: item), low.value(in: item), high.value(in: item))
        case .within(let subject, let candidates):
            subject.value(in: item).map { value in
                candidates.contains { $0.value(in: item) == value }
            } ?? false
        case .exists(let path): path.value(in: item) != nil
        case .notExists(let path): path.value(in: item) == nil
        case .hasType(let operand, let kind): operand.value(in: item)?.kind == kind
        case .beginsWith(let operand, let prefix):
            Self.begins(operand.value(in: item), with: prefix.value(in: item))
        case .contains(let container, let element):
            Self.contains(container.value(in: item), element.value(in: item))
        }
    }

    private static func isBetween(
        _ value: AttributeValue?, _ low: AttributeValue?, _ high: AttributeValue?
    ) -> Bool {
        guard let value, let low, let high else { return false }
        return value.precedes(low) == false && high.precedes(value) == false
    }

    private static func begins(_ value: AttributeValue?, with prefix: AttributeValue?) -> Bool {
        switch (value, prefix) {
        case (.string(let text)?, .string(let prefix)?): text.utf8.starts(with: prefix.utf8)
        case (.binary(let bytes)?, .binary(let prefix)?): bytes.starts(with: prefix)
        default: false
        }
    }

    /// Whether the container has the element: substrings, bytes, elements of a set or a list.
    private static func contains(_ container: AttributeValue?, _ element: AttributeValue?) -> Bool {
        switch (container, element) {
        case (.string(let text)?, .string(let part)?):
            contains(Array(text.utf8), Array(part.utf8))
        case (.binary(let bytes)?, .binary(let part)?): contains(bytes, part)
        case (.stringSet(let texts)?, .string(let text)?):
            texts.contains { $0.isSame(as: text) }
        case (.numberSet(let numbers)?, .number(let number)?): numbers.contains(number)
        case (.binarySet(let elements)?, .binary(let bytes)?): elements.contains(bytes)
        case (.list(let elements)?, let element?): elements.contains(element)
        default: false
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { start in
            bytes[start] == first
                && bytes[start..<start + part.count].elementsEqual(part)
        }
    }
}

extension Operand {
    func value(in item: AttributeMap) -> AttributeValue? {
        switch self {
        case .path(let path): path.value(in: item)
        case .value(let value): value
        case .size(let operand): operand.value(in: item)?.elementCount.map { .number(.init($0)) }
        }
    }
}

extension AttributeValue {
    /// The result of `size()`; nil for types without a size.
    var elementCount: Int? {
        switch self {
        case .string(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        case .list(let elements): elements.count
        case .map(let map): map.count
        case .stringSet(let texts): texts.count
        case .numberSet(let numbers): numbers.count
        case .binarySet(let elements): elements.count
        case .number, .bool, .null: nil
        }
    }
}

extension Comparator {
    /// A missing attribute or a value of another type is unequal to everything, and all order
    /// comparisons with it are false.
    func holds(_ left: AttributeValue?, _ right: AttributeValue?) -> Bool {
        guard let left, let right else { return self == .notEqual }
        switch self {
        case .equal: return left == right
        case .notEqual: return left != right
        case .less: return left.precedes(right) == true
        case .lessOrEqual: return right.precedes(left) == false
        case .greater: return right.precedes(left) == true
        case .greaterOrEqual: return left.precedes(right) == false
        }
    }
}
