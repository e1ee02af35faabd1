internal import Bytes

/// A parsed update without conflicting paths.
struct UpdateExpression {
    enum Action {
        case set(UpdateValue)
        case remove
        case add(AttributeValue)
        case delete(AttributeValue)
    }

    let actions: [(path: DocumentPath, action: Action)]
    /// Whether the request used `AttributeUpdates`, which has its own error messages.
    var isLegacy = false

    /// Whether the update can create an item: an update that only removes attributes does not.
    var creates: Bool {
        actions.isEmpty
            || actions.contains {
                switch $0.action {
                case .set, .add: true
                case .remove, .delete: false
                }
            }
    }
}

indirect enum UpdateValue {
    case path(DocumentPath)
    case value(AttributeValue)
    case ifNotExists(DocumentPath, UpdateValue)
    case listAppend(UpdateValue, UpdateValue)
    case plus(UpdateValue, UpdateValue)
    case minus(UpdateValue, UpdateValue)
}

extension UpdateValue {
    static let incorrectType = DynamoDBError.validation(
        "An operand in the update expression has an incorrect data type")

    /// The value, computed from the item before the update.
    func value(in item: AttributeMap) throws(DynamoDBError) -> AttributeValue {
        switch self {
        case .value(let value): return value
        case .path(let path):
            guard let value = path.value(in: item) else {
                throw .validation(
                    "The provided expression refers to an attribute that does not exist in the "
                        + "item")
            }
            return value
        case .ifNotExists(let path, let fallback):
            if let value = path.value(in: item) { return value }
            return try fallback.value(in: item)
        case .listAppend(let first, let second):
            guard case .list(let head) = try first.value(in: item),
                case .list(let tail) = try second.value(in: item)
            else { throw Self.incorrectType }
            return .list(head + tail)
        case .plus(let left, let right):
            return try sum(left, right, in: item) { $0.adding($1) }
        case .minus(let left, let right):
            return try sum(left, right, in: item) { $0.subtracting($1) }
        }
    }

    private func sum(
        _ left: UpdateValue, _ right: UpdateValue, in item: AttributeMap,
        _ combine: (DecimalNumber, DecimalNumber) -> DecimalNumber?
    ) throws(DynamoDBError) -> AttributeValue {
        guard case .number(let left) = try left.value(in: item),
            case .number(let right) = try right.value(in: item)
        else { throw Self.incorrectType }
        guard let sum = combine(left, right) else { throw DecimalNumber.overflow }
        return .number(sum)
    }
}

extension AttributeValue {
    /// The result of ADD applied to `old`.
    func added(to old: AttributeValue?) throws(DynamoDBError) -> AttributeValue {
        switch (old, self) {
        case (nil, _): return self
        case (.number(let old)?, .number(let number)):
            guard let sum = old.adding(number) else { throw DecimalNumber.overflow }
            return .number(sum)
        case (.stringSet(let old)?, .stringSet(let more)):
            let new = more.filter { text in !old.contains { $0.isSame(as: text) } }
            return .stringSet((old + new).sorted { $0.precedes($1) })
        case (.numberSet(let old)?, .numberSet(let more)):
            return .numberSet(Set(old).union(more).sorted())
        case (.binarySet(let old)?, .binarySet(let more)):
            return .binarySet(
                Set(old).union(more).sorted { $0.lexicographicallyPrecedes($1) })
        // Only `AttributeUpdates` can add to a list.
        case (.list(let old)?, .list(let more)): return .list(old + more)
        default: throw UpdateValue.incorrectType
        }
    }

    /// The result of DELETE applied to `old`: nil if the set becomes empty.
    func deleted(from old: AttributeValue?) throws(DynamoDBError) -> AttributeValue? {
        switch (old, self) {
        case (nil, _): return nil
        case (.stringSet(let old)?, .stringSet(let less)):
            let left = old.filter { text in !less.contains { $0.isSame(as: text) } }
            return left.isEmpty ? nil : .stringSet(left)
        case (.numberSet(let old)?, .numberSet(let less)):
            let left = old.filter { !less.contains($0) }
            return left.isEmpty ? nil : .numberSet(left)
        case (.binarySet(let old)?, .binarySet(let less)):
            let left = old.filter { !less.contains($0) }
            return left.isEmpty ? nil : .binarySet(left)
        default: throw UpdateValue.incorrectType
        }
    }
}
