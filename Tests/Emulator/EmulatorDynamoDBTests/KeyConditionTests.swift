import JSON
import TestSupport
import Testing

@Suite("DynamoDB key conditions")
struct KeyConditionTests {
    private static let values =
        #"":p":{"S":"p"},":a":{"S":"b"},":z":{"S":"d"},":n":{"N":"1"},":e":{"S":""}"#

    private func body(_ condition: String, table: String = "sorted", _ more: String = "") -> String
    {
        let used = Self.values.split(separator: "},").map { $0.hasSuffix("}") ? $0 : $0 + "}" }
            .filter { value in
                let name = value.split(separator: "\"").first ?? ""
                return condition.contains(name) || more.contains("\(name) ")
            }
        let values =
            used.isEmpty
            ? "" : #","ExpressionAttributeValues":{\#(used.joined(separator: ","))}"#
        return
            #"{"TableName":"\#(table)","KeyConditionExpression":"\#(condition)"\#(values)\#(more)}"#
    }

    @Test(arguments: [
        ("sk = :a", "Query condition missed key schema element: pk"),
        ("pk = :p AND attr = :a", "Query condition missed key schema element: sk"),
        ("pk > :p", "Query key condition not supported"),
        ("begins_with(pk, :p)", "Query key condition not supported"),
        ("pk = :p AND sk = :a AND sk2 = :z", "Conditions can be of length 1 or 2 only"),
        ("pk = :p AND pk = :a", "KeyConditionExpressions must only contain one condition per key"),
        (
            "pk = :p OR sk = :a",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR"
        ),
        (
            "pk = :p AND NOT sk = :a",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: NOT"
        ),
        (
            "pk = :p AND sk <> :a",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>"
        ),
        (
            "pk = :p AND sk IN (:a, :z)",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: IN"
        ),
        (
            "pk = :p AND contains(sk, :a)",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: contains"
        ),
        (
            "attribute_exists(pk)",
            "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: attribute_exists"
        ),
        ("pk = :p AND size(sk) = :n", "KeyConditionExpressions cannot contain nested operations"),
        ("pk = :p AND sk.a = :a", "KeyConditionExpressions cannot contain nested operations"),
        (
            "pk = :n",
            "One or more parameter values were invalid: Condition parameter type does not match schema type"
        ),
        (
            "pk = :e",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
        ),
        (
            "pk = :p AND sk BETWEEN :z AND :a",
            "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:d}, upper bound operand: AttributeValue: {S:b}"
        ),
        ("pk = ", #"Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "=""#),
    ])
    func `invalid key conditions`(condition: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal("Query", body(condition))
        #expect(refusal == ("ValidationException", message))
    }

    @Test
    func `a query needs a key condition, an existing index, and a filter without key attributes`()
        throws
    {
        let kit = try DynamoDBHarness()
        expectEqual(
            kit.refusal("Query", #"{"TableName":"sorted"}"#).message,
            "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                + "in the request.")
        expectEqual(
            kit.refusal("Query", body("pk = :p", #","IndexName":"nope""#)).message,
            "The table does not have the specified index: nope")
        expectEqual(
            kit.refusal("Query", body("pk = :p", #","FilterExpression":"sk = :p""#)).message,
            "Filter Expression can only contain non-primary key attributes: "
                + "Primary key attribute: sk")
    }

    @Test(arguments: [
        ("pk = :p", "a b ba c d e"), (":p = pk", "a b ba c d e"),
        ("pk = :p AND sk = :a", "b"), ("pk = :p AND sk < :a", "a"),
        ("pk = :p AND sk <= :a", "a b"), ("pk = :p AND sk > :a", "ba c d e"),
        ("pk = :p AND sk >= :a", "b ba c d e"), ("pk = :p AND :a < sk", "ba c d e"),
        ("pk = :p AND sk BETWEEN :a AND :z", "b ba c d"),
        ("pk = :p AND begins_with(sk, :a)", "b ba"), ("(pk = :p) AND (sk = :z)", "d"),
        ("sk = :z AND pk = :p", "d"), ("pk = :a", ""),
    ])
    func `a key condition selects a range`(condition: String, expected: String) throws {
        let kit = try DynamoDBHarness()
        for sort in ["e", "a", "c", "ba", "b", "d"] {
            try kit.put(#"{"pk":{"S":"p"},"sk":{"S":"\#(sort)"}}"#, in: "sorted")
            try kit.put(#"{"pk":{"S":"pp"},"sk":{"S":"\#(sort)"}}"#, in: "sorted")
        }
        let found = try kit.ok("Query", body(condition))["Items"]?.arrayValue ?? []
        let sorts = found.compactMap { $0["sk"]?["S"]?.stringValue }
        expectEqual(sorts.joined(separator: " "), expected)
        let reversed = try kit.ok("Query", body(condition, #","ScanIndexForward":false"#))
        expectEqual(
            (reversed["Items"]?.arrayValue ?? []).compactMap { $0["sk"]?["S"]?.stringValue },
            sorts.reversed())
    }

    @Test func `strings sort by UTF-8 bytes and binary by unsigned bytes`() throws {
        let kit = try DynamoDBHarness()
        let strings = [
            "\u{0}", "\u{0}\u{0}", "\u{0}a", "A", "Z", "a", "a\u{0}", "aa", "\u{E9}", "\u{FFFF}",
            "\u{10000}",
        ]
        for index in strings.indices {
            let text = strings[(index * 5 + 2) % strings.count]
            let escaped = text.replacing("\u{0}", with: #"\u0000"#)
            try kit.put(#"{"pk":{"S":"p"},"sk":{"S":"\#(escaped)"}}"#, in: "sorted")
        }
        let found = try kit.ok("Query", body("pk = :p"))["Items"]?.arrayValue ?? []
        expectEqual(
            found.compactMap { $0["sk"]?["S"]?.stringValue.map { Array($0.utf8) } },
            strings.map { Array($0.utf8) })
        try kit.ok("CreateTable", DynamoDBHarness.table("bin", keys: ["pk": "S", "b": "B"]))
        let binaries = ["AA==", "AAA=", "AAE=", "fw==", "gA==", "/w==", "/wA=", "//8="]
        for binary in binaries.reversed() {
            try kit.put(#"{"pk":{"S":"p"},"b":{"B":"\#(binary)"}}"#, in: "bin")
        }
        let sorted = try kit.ok("Query", body("pk = :p", table: "bin"))["Items"]?.arrayValue ?? []
        expectEqual(sorted.compactMap { $0["b"]?["B"]?.stringValue }, binaries)
    }
}
