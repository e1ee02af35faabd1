internal import Bytes
internal import Time

/// One condition: an operator, a key and its values.
struct PolicyCondition: Sendable, Equatable {
    let operation: ConditionOperator
    let key: ContextKey
    let wanted: [PolicyPattern]

    /// The values are alternatives; with a negated operator none of them may match.
    func holds(in context: PolicyContext) -> Bool {
        let present = context.values(key)
        if operation.comparison == .null {
            return wanted.contains { pattern in
                guard let text = pattern.value(in: context) else { return false }
                return Self.bool(text) == (present == nil)
            }
        }
        guard let present else {
            // If the key is absent, operators with IfExists or ForAllValues and negated operators
            // are fulfilled.
            return operation.ifExists || operation.quantifier == .all
                || (operation.isNegated && operation.quantifier == .one)
        }
        func holds(_ value: String) -> Bool {
            wanted.contains { matches(value, $0, in: context) } != operation.isNegated
        }
        return switch operation.quantifier {
        case .all: present.allSatisfy(holds)
        case .any: present.contains(where: holds)
        // With several values in the request and no set operator, a negated operator must hold for
        // all of them.
        case .one: operation.isNegated ? present.allSatisfy(holds) : present.contains(where: holds)
        }
    }

    private func matches(
        _ value: String, _ pattern: PolicyPattern, in context: PolicyContext
    ) -> Bool {
        if operation.comparison == .stringLike { return pattern.matches(value.utf8, in: context) }
        guard let tokens = pattern.tokens(in: context) else { return false }
        if operation.comparison == .arn { return Self.matchesARN(value, tokens) }
        guard let bytes = pattern.value(in: context) else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        switch operation.comparison {
        case .string: return text.isSame(as: value)
        case .stringIgnoringCase: return text.lowercased().isSame(as: value.lowercased())
        case .numeric(let order):
            guard let left = Self.number(value), let right = Self.number(text) else { return false }
            return order.holds(left, right)
        case .date(let order):
            guard let left = Self.date(value), let right = Self.date(text) else { return false }
            return order.holds(left, right)
        case .bool:
            guard let wanted = Self.bool(bytes) else { return false }
            return Self.bool(Array(value.utf8)) == wanted
        case .binary:
            guard let left = Base64.decode(value), let right = Base64.decode(text) else {
                return false
            }
            return left == right
        case .address:
            guard let address = IPAddress(value), let range = IPRange(text) else { return false }
            return range.contains(address)
        case .stringLike, .arn, .null: return false
        }
    }

    /// Wildcards do not cross the first five colons.
    private static func matchesARN(_ value: String, _ tokens: [PolicyPattern.Token]) -> Bool {
        let colon = UInt8(ascii: ":")
        let wanted = tokens.split(
            separator: PolicyPattern.Token(colon), maxSplits: 5, omittingEmptySubsequences: false)
        let parts = Array(value.utf8).split(
            separator: colon, maxSplits: 5, omittingEmptySubsequences: false)
        guard wanted.count == 6, parts.count == 6 else {
            // A single `*` matches every ARN.
            return tokens == [PolicyPattern.anyRun]
        }
        return zip(wanted, parts).allSatisfy { PolicyPattern.matches($0, $1) }
    }

    private static func bool(_ text: [UInt8]) -> Bool? {
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Decimal digits with sign and fraction; no exponent, no `nan`.
    private static func number(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { $0.isDigit || "+-.".utf8.contains($0) }
        return isPlain && text.utf8.count <= 40 ? Double(text) : nil
    }

    /// ISO 8601, a date without time, or seconds since 1970.
    private static func date(_ text: String) -> Instant? {
        if let seconds = Int64(text) { return Instant(seconds: seconds) }
        return Instant(iso8601: text) ?? Instant(iso8601: text + "T00:00:00Z")
    }
}
