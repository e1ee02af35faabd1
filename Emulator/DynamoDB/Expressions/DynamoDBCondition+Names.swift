extension DynamoDBCondition {
    /// The top-level attributes that the condition mentions.
    var roots: [String] {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.roots)
        case .not(let condition): condition.roots
        case .compare(let left, _, let right): left.roots + right.roots
        case .between(let subject, let low, let high): subject.roots + low.roots + high.roots
        case .within(let subject, let candidates):
            subject.roots + candidates.flatMap(\.roots)
        case .exists(let path), .notExists(let path): [path.root]
        case .hasType(let operand, _): operand.roots
        case .beginsWith(let left, let right), .contains(let left, let right):
            left.roots + right.roots
        }
    }
}

extension Operand {
    var roots: [String] {
        switch self {
        case .path(let path): [path.root]
        case .value: []
        case .size(let operand): operand.roots
        }
    }
}
