internal import Bytes
internal import EmulatorAWS
internal import JSON

extension FuzzTarget {
    /// The result of a policy follows from its statements, and a Deny always wins.
    ///
    /// The input is `{"policy": …, "action": …, "resource": …, "context": {…}}`.
    static let policies = FuzzTarget("policies") { (input) throws(BrokenProperty) in
        guard let json = try? JSON.parse(input, limits: .request),
            let policy = json["policy"]?.objectValue,
            let document = document(policy)
        else { return }
        var context = PolicyContext()
        for member in json["context"]?.objectValue?.members ?? [] {
            if let text = member.value.stringValue {
                context.set(member.name, text)
            } else if let list = member.value.arrayValue {
                context.set(member.name, all: list.compactMap(\.stringValue))
            }
        }
        let request = AccessRequest(
            action: json["action"]?.stringValue ?? "s3:GetObject",
            resource: json["resource"]?.stringValue ?? "arn:aws:s3:::bucket/key",
            principal: .anonymous, context: context)
        let decision = document.decision(on: request)
        try checkSum(policy, request, decision)
        try checkDeny(policy, request)
        if let text = policy["Statement"]?["Resource"]?.stringValue,
            policy["Statement"]?["Condition"] == nil, policy["Statement"]?["Action"] == "*",
            policy["Statement"]?["Effect"] == "Allow", text == "*" || !text.contains("$")
        {
            let matches = Wildcard.matches(Array(text.utf8), Array(request.resource.utf8))
            try require((decision == .allowed) == matches, "a wildcard matches otherwise")
        }
    }

    private static func document(_ policy: JSONObject) -> PolicyDocument? {
        try? PolicyDocument(parsing: JSON.object(policy).text, as: .identity)
    }

    private static func statements(_ policy: JSONObject) -> [JSON] {
        policy["Statement"].map { $0.arrayValue ?? [$0] } ?? []
    }

    private static func checkSum(
        _ policy: JSONObject, _ request: AccessRequest, _ decision: AccessDecision
    ) throws(BrokenProperty) {
        var expected = AccessDecision.notAllowed
        for statement in statements(policy) {
            var single = policy
            single["Statement"] = statement
            guard let document = document(single) else {
                throw BrokenProperty("a statement is refused on its own")
            }
            switch document.decision(on: request) {
            case .denied: expected = .denied
            case .allowed: if expected == .notAllowed { expected = .allowed }
            case .notAllowed: break
            }
        }
        try require(decision == expected, "the statements together decide otherwise")
    }

    private static func checkDeny(
        _ policy: JSONObject, _ request: AccessRequest
    ) throws(BrokenProperty) {
        let deny: JSON = ["Effect": "Deny", "Action": "*", "Resource": "*"]
        for list in [statements(policy) + [deny], [deny] + statements(policy)] {
            var denying = policy
            denying["Statement"] = .array(list)
            // With one more statement the policy may be too large.
            guard let document = document(denying) else { continue }
            try require(document.decision(on: request) == .denied, "a Deny does not win")
        }
    }
}

/// The definition of `*` and `?`, as simple as possible.
private enum Wildcard {
    static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        // reached[i]: the pattern so far matches the first i bytes of the text.
        var reached = [true] + [Bool](repeating: false, count: text.count)
        for byte in pattern {
            var next = [Bool](repeating: false, count: text.count + 1)
            for place in 0...text.count {
                switch byte {
                case UInt8(ascii: "*"):
                    next[place] = reached[place] || (place > 0 && next[place - 1])
                case UInt8(ascii: "?"): next[place] = place > 0 && reached[place - 1]
                default:
                    next[place] = place > 0 && reached[place - 1] && text[place - 1] == byte
                }
            }
            reached = next
        }
        return reached[text.count]
    }
}
