internal import Bytes

extension UpdateExpression {
    /// The item after the update. All operands are evaluated on `old`, and indexes refer to the old
    /// list.
    ///
    /// - Parameter old: nil if there is no item; then `base` has only its key.
    func applied(to old: AttributeMap?, base: AttributeMap) throws(DynamoDBError) -> AttributeMap {
        let before = old ?? base
        var root = ChangeTree()
        for (path, action) in actions {
            // A nested attribute of a missing item cannot be removed.
            if old == nil, case .remove = action, !path.rest.isEmpty { continue }
            root.insert(try Change(action, in: before), at: path.elements[...])
        }
        do throws(DynamoDBError) {
            guard case .map(let item)? = try root.applied(to: .map(before)) else { return before }
            return item
        } catch {
            guard isLegacy, error == UpdateValue.incorrectType else { throw error }
            throw .validation("Type mismatch for attribute to update")
        }
    }

    /// The updated attributes, for `UPDATED_OLD` and `UPDATED_NEW`.
    var touched: Projection { Projection(paths: actions.map(\.path)) }
}

/// An action with its operand evaluated.
private enum Change {
    case set(AttributeValue)
    case remove
    case add(AttributeValue)
    case delete(AttributeValue)

    init(_ action: UpdateExpression.Action, in item: AttributeMap) throws(DynamoDBError) {
        switch action {
        case .set(let value): self = .set(try value.value(in: item))
        case .remove: self = .remove
        case .add(let value): self = .add(value)
        case .delete(let value): self = .delete(value)
        }
    }

    /// Nil if the attribute is removed.
    func applied(to old: AttributeValue?) throws(DynamoDBError) -> AttributeValue? {
        switch self {
        case .set(let value): value
        case .remove: nil
        case .add(let value): try value.added(to: old)
        case .delete(let value): try value.deleted(from: old)
        }
    }
}

/// The changes as a tree by path. Paths do not overlap, so a node either has a change or children.
private struct ChangeTree {
    private var change: Change?
    private var names: [(name: String, tree: ChangeTree)] = []
    private var indexes: [(index: Int, tree: ChangeTree)] = []

    private static let invalidPath = DynamoDBError.validation(
        "The document path provided in the update expression is invalid for update")

    mutating func insert(_ change: Change, at path: ArraySlice<DocumentPath.Element>) {
        guard let first = path.first else {
            self.change = change
            return
        }
        switch first {
        case .name(let name):
            let place =
                names.firstIndex { $0.name.isSame(as: name) }
                ?? {
                    names.append((name, ChangeTree()))
                    return names.count - 1
                }()
            names[place].tree.insert(change, at: path.dropFirst())
        case .index(let index):
            let place =
                indexes.firstIndex { $0.index == index }
                ?? {
                    indexes.append((index, ChangeTree()))
                    return indexes.count - 1
                }()
            indexes[place].tree.insert(change, at: path.dropFirst())
        }
    }

    func applied(to old: AttributeValue?) throws(DynamoDBError) -> AttributeValue? {
        if let change { return try change.applied(to: old) }
        switch old {
        case .map(var map)? where indexes.isEmpty:
            for (name, tree) in names { map[name] = try tree.applied(to: map[name]) }
            return .map(map)
        case .list(let list)? where names.isEmpty: return .list(try applied(to: list))
        default:
            if names.isEmpty, indexes.isEmpty { return old }
            throw Self.invalidPath
        }
    }

    private func applied(to list: [AttributeValue]) throws(DynamoDBError) -> [AttributeValue] {
        var elements: [AttributeValue?] = list
        // Elements beyond the end are appended in the order of their indexes.
        for (index, tree) in indexes.sorted(by: { $0.index < $1.index }) {
            if index < list.count {
                elements[index] = try tree.applied(to: list[index])
            } else if let value = try tree.applied(to: nil) {
                elements.append(value)
            }
        }
        return elements.compactMap { $0 }
    }
}
