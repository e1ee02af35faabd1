/// A condition operator, parsed from its name.
struct ConditionOperator: Sendable, Equatable {
    enum Comparison: Sendable, Equatable {
        case string, stringIgnoringCase, stringLike
        case numeric(Order)
        case date(Order)
        case bool, binary, address, arn
        /// Tests whether the key exists.
        case null
    }

    enum Order: Sendable { case equal, less, lessOrEqual, greater, greaterOrEqual }

    /// The quantifier for keys that have several values.
    enum Quantifier: Sendable { case one, all, any }

    let comparison: Comparison
    let isNegated: Bool
    let quantifier: Quantifier
    /// Whether the condition holds if the request does not have the key.
    let ifExists: Bool

    /// `ForAllValues:StringLikeIfExists`; nil for an unknown name.
    init?(_ name: String) {
        var rest = Substring(name)
        if rest.hasPrefix("ForAllValues:") {
            quantifier = .all
            rest = rest.dropFirst("ForAllValues:".count)
        } else if rest.hasPrefix("ForAnyValue:") {
            quantifier = .any
            rest = rest.dropFirst("ForAnyValue:".count)
        } else {
            quantifier = .one
        }
        ifExists = rest.hasSuffix("IfExists")
        if ifExists { rest = rest.dropLast("IfExists".count) }
        guard let (comparison, isNegated) = Self.comparison(String(rest)),
            !(ifExists && comparison == .null)
        else { return nil }
        self.comparison = comparison
        self.isNegated = isNegated
    }

    private static func comparison(_ name: String) -> (Comparison, isNegated: Bool)? {
        switch name {
        case "StringEquals": (.string, false)
        case "StringNotEquals": (.string, true)
        case "StringEqualsIgnoreCase": (.stringIgnoringCase, false)
        case "StringNotEqualsIgnoreCase": (.stringIgnoringCase, true)
        case "StringLike": (.stringLike, false)
        case "StringNotLike": (.stringLike, true)
        case "NumericEquals": (.numeric(.equal), false)
        case "NumericNotEquals": (.numeric(.equal), true)
        case "NumericLessThan": (.numeric(.less), false)
        case "NumericLessThanEquals": (.numeric(.lessOrEqual), false)
        case "NumericGreaterThan": (.numeric(.greater), false)
        case "NumericGreaterThanEquals": (.numeric(.greaterOrEqual), false)
        case "DateEquals": (.date(.equal), false)
        case "DateNotEquals": (.date(.equal), true)
        case "DateLessThan": (.date(.less), false)
        case "DateLessThanEquals": (.date(.lessOrEqual), false)
        case "DateGreaterThan": (.date(.greater), false)
        case "DateGreaterThanEquals": (.date(.greaterOrEqual), false)
        case "Bool": (.bool, false)
        case "BinaryEquals": (.binary, false)
        case "IpAddress": (.address, false)
        case "NotIpAddress": (.address, true)
        // Both compare the ARN's components with wildcards.
        case "ArnEquals", "ArnLike": (.arn, false)
        case "ArnNotEquals", "ArnNotLike": (.arn, true)
        case "Null": (.null, false)
        default: nil
        }
    }
}

extension ConditionOperator.Order {
    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal: left == right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}
