internal import Bytes

/// The parameters of a request and their validation errors, which STS reports all at once.
struct STSParameters: Sendable {
    /// 50 tags and 10 policies are 120 pairs.
    static let pairsMax = 512

    private let pairs: [(name: String, value: String)]
    private var complaints: [String] = []

    init?(form text: String) {
        guard let pairs = PercentEncoding.parseForm(text, pairsMax: Self.pairsMax) else {
            return nil
        }
        self.pairs = pairs.map { (name: $0.0, value: $0.1) }
    }

    subscript(name: String) -> String? { pairs.first { $0.name.isSame(as: name) }?.value }

    /// Throws all errors found so far.
    func check() throws(STSError) {
        guard !complaints.isEmpty else { return }
        let count = complaints.count
        throw .validation(
            "\(count) validation error\(count == 1 ? "" : "s") detected: "
                + complaints.joined(separator: "; "))
    }

    mutating func complain(_ value: String?, _ member: String, _ rule: String) {
        let shown = value.map { "'\($0)'" } ?? "null"
        complaints.append("Value \(shown) at '\(member)' failed to satisfy constraint: \(rule)")
    }

    /// In messages, `RoleArn` is written `roleArn`.
    private static func member(_ name: String) -> String {
        name.prefix(1).lowercased() + name.dropFirst()
    }

    mutating func text(
        _ name: String, length: ClosedRange<Int>, of characters: CharacterRule = .any,
        isRequired: Bool = false
    ) -> String? {
        let member = Self.member(name)
        guard let value = self[name] else {
            if isRequired { complain(nil, member, "Member must not be null") }
            return nil
        }
        check(value, member, length: length, of: characters)
        return value
    }

    mutating func check(
        _ value: String, _ member: String, length: ClosedRange<Int>, of characters: CharacterRule
    ) {
        let count = value.unicodeScalars.count
        // Long values are truncated in messages.
        let shown = count > length.upperBound ? String(value.unicodeScalars.prefix(64)) : value
        if count < length.lowerBound {
            let least = length.lowerBound
            complain(shown, member, "Member must have length greater than or equal to \(least)")
        }
        if count > length.upperBound {
            let most = length.upperBound
            complain(shown, member, "Member must have length less than or equal to \(most)")
        }
        if !characters.admits(value) {
            complain(
                shown, member,
                "Member must satisfy regular expression pattern: \(characters.pattern)")
        }
    }

    mutating func seconds(_ name: String, in range: ClosedRange<Int64>) throws(STSError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = Int64(text), text.utf8.first != UInt8(ascii: "+") else {
            throw STSError(400, "MalformedInput", "Invalid Integer")
        }
        let member = Self.member(name)
        if value < range.lowerBound {
            complain(
                text, member,
                "Member must have value greater than or equal to \(range.lowerBound)")
        }
        if value > range.upperBound {
            complain(
                text, member, "Member must have value less than or equal to \(range.upperBound)")
        }
        return value
    }

    /// `Tags.member.1.Key`, `Tags.member.2.Key`, … up to the first gap.
    mutating func list(_ name: String, _ field: String? = nil, countMax: Int) -> [String] {
        var values: [String] = []
        let suffix = field.map { ".\($0)" } ?? ""
        while let value = self["\(name).member.\(values.count + 1)\(suffix)"] {
            values.append(value)
        }
        if values.count > countMax {
            complain(
                "[\(values.count) members]", Self.member(name),
                "Member must have length less than or equal to \(countMax)")
        }
        return values
    }

    mutating func tags() -> [SessionTag] {
        let keys = list("Tags", "Key", countMax: 50)
        var tags: [SessionTag] = []
        for (index, key) in keys.enumerated() {
            let value = self["Tags.member.\(index + 1).Value"]
            let member = "tags.\(index + 1).member"
            check(key, "\(member).key", length: 1...128, of: .tag)
            if let value {
                check(value, "\(member).value", length: 0...256, of: .tag)
            } else {
                complain(nil, "\(member).value", "Member must not be null")
            }
            tags.append(SessionTag(key, value ?? ""))
        }
        return tags
    }
}

/// The allowed characters of a parameter, with the pattern in STS's messages.
struct CharacterRule {
    let pattern: String
    private let isAllowed: @Sendable (UnicodeScalar) -> Bool

    func admits(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isAllowed) }

    static let any = CharacterRule(pattern: "") { _ in true }
    static let name = CharacterRule(pattern: #"[\w+=,.@-]*"#) {
        isWord($0) || isOne(of: "+=,.@-", $0)
    }
    static let externalID = CharacterRule(pattern: #"[\w+=,.@:\/-]*"#) {
        isWord($0) || isOne(of: "+=,.@:/-", $0)
    }
    static let accessKey = CharacterRule(pattern: #"[\w]*"#, isAllowed: isWord)
    static let tag = CharacterRule(pattern: #"[\p{L}\p{Z}\p{N}_.:/=+\-@]+"#) { scalar in
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .spaceSeparator, .lineSeparator, .paragraphSeparator, .decimalNumber, .letterNumber,
            .otherNumber:
            true
        default: isOne(of: "_.:/=+-@", scalar)
        }
    }

    private static func isWord(_ scalar: UnicodeScalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func isOne(of list: String, _ scalar: UnicodeScalar) -> Bool {
        list.unicodeScalars.contains(scalar)
    }
}
