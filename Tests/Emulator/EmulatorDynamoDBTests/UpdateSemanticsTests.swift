import JSON
import TestSupport
import Testing

/// DynamoDB Developer Guide, "Update expressions".
@Suite("DynamoDB update semantics")
struct UpdateSemanticsTests {
    private static let values: KeyValuePairs = [
        ":one": #"{"N":"1"}"#, ":two": #"{"N":"2"}"#, ":zero": #"{"N":"0"}"#, ":x": #"{"S":"x"}"#,
        ":y": #"{"S":"y"}"#, ":lx": #"{"L":[{"S":"x"}]}"#, ":none": #"{"L":[]}"#,
        ":sab": #"{"SS":["a","b"]}"#, ":sbc": #"{"SS":["c","b"]}"#, ":sd": #"{"SS":["d"]}"#,
        ":n12": #"{"NS":["1","2"]}"#, ":map": #"{"M":{}}"#,
    ]

    private func request(_ update: String, _ more: String = "") -> String {
        let used = Self.values.filter { value in
            update.ranges(of: value.0).contains { range in
                update[range.upperBound...].first.map { !($0.isLetter || $0.isNumber) } ?? true
            }
        }.map { #""\#($0.0)":\#($0.1)"# }
        let values =
            used.isEmpty
            ? "" : #","ExpressionAttributeValues":{\#(used.joined(separator: ","))}"#
        return
            #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"\#(update)"\#(values)\#(more)}"#
    }

    private static let list = #""l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]}"#

    @Test(arguments: [
        ("", "SET a = :one", #""a":{"N":"1"}"#),
        (#""a":{"N":"1"},"b":{"N":"2"}"#, "SET a = b, b = a", #""a":{"N":"2"},"b":{"N":"1"}"#),
        (#""a":{"N":"1"}"#, "SET a = a + :two", #""a":{"N":"3"}"#),
        (#""a":{"N":"1"}"#, "SET a = :two - a", #""a":{"N":"1"}"#),
        (#""a":{"N":"1"}"#, "SET a = (a + :two)", #""a":{"N":"3"}"#),
        (#""a":{"N":"1"}"#, "SET b = a REMOVE a", #""b":{"N":"1"}"#),
        (#""a":{"N":"1"}"#, "REMOVE a SET b = a", #""b":{"N":"1"}"#),
        ("", "SET a = if_not_exists(a, :zero) + :one", #""a":{"N":"1"}"#),
        (#""a":{"N":"5"}"#, "SET a = if_not_exists(a, :zero) + :one", #""a":{"N":"6"}"#),
        ("", "SET a = list_append(if_not_exists(a, :none), :lx)", #""a":{"L":[{"S":"x"}]}"#),
        (
            Self.list, "SET l = list_append(:lx, l)",
            #""l":{"L":[{"S":"x"},{"S":"0"},{"S":"1"},{"S":"2"}]}"#
        ),
        // Lists: replace, append beyond the end, remove; indexes refer to the old list.
        (Self.list, "SET l[1] = :x", #""l":{"L":[{"S":"0"},{"S":"x"},{"S":"2"}]}"#),
        (
            Self.list, "SET l[9] = :y, l[7] = :x",
            #""l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"},{"S":"x"},{"S":"y"}]}"#
        ),
        (Self.list, "REMOVE l[0], l[2]", #""l":{"L":[{"S":"1"}]}"#),
        (Self.list, "REMOVE l[0] SET l[2] = :x", #""l":{"L":[{"S":"1"},{"S":"x"}]}"#),
        (Self.list, "REMOVE l[7]", Self.list),
        (Self.list, "REMOVE gone", Self.list),
        (
            #""d":{"M":{"x":{"N":"1"},"y":{"N":"2"}}}"#, "SET d.z = :one REMOVE d.x, d.q",
            #""d":{"M":{"y":{"N":"2"},"z":{"N":"1"}}}"#
        ),
        (
            #""d":{"M":{"l":{"L":[{"M":{"x":{"N":"1"}}}]}}}"#, "SET d.l[0].x = d.l[0].x + :one",
            #""d":{"M":{"l":{"L":[{"M":{"x":{"N":"2"}}}]}}}"#
        ),
        ("", "ADD a :one", #""a":{"N":"1"}"#),
        (#""a":{"N":"1"}"#, "ADD a :one", #""a":{"N":"2"}"#),
        ("", "ADD a :sab", #""a":{"SS":["a","b"]}"#),
        (#""a":{"SS":["b","a"]}"#, "ADD a :sbc", #""a":{"SS":["a","b","c"]}"#),
        (#""a":{"NS":["2","3"]}"#, "ADD a :n12", #""a":{"NS":["1","2","3"]}"#),
        (#""d":{"M":{}}"#, "ADD d.n :one", #""d":{"M":{"n":{"N":"1"}}}"#),
        (#""a":{"SS":["a","b","c"]}"#, "DELETE a :sbc", #""a":{"SS":["a"]}"#),
        (#""a":{"SS":["a","b"]}"#, "DELETE a :sab", ""),
        (#""a":{"SS":["a","b"]}"#, "DELETE a :sd", #""a":{"SS":["a","b"]}"#),
        (#""b":{"N":"1"}"#, "DELETE a :sab", #""b":{"N":"1"}"#),
        ("", "SET a = :map", #""a":{"M":{}}"#),
    ])
    func `updates are applied`(before: String, update: String, after: String) throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"}\#(before.isEmpty ? "" : ",")\#(before)}"#)
        try kit.ok("UpdateItem", request(update))
        let expected = try json(#"{"pk":{"S":"a"}\#(after.isEmpty ? "" : ",")\#(after)}"#)
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), expected)
    }

    @Test(arguments: [
        (
            "", "SET a = b",
            "The provided expression refers to an attribute that does not exist in the item"
        ),
        (
            "", "SET a = a + :one",
            "The provided expression refers to an attribute that does not exist in the item"
        ),
        (
            #""a":{"S":"x"}"#, "SET a = a + :one",
            "An operand in the update expression has an incorrect data type"
        ),
        (
            #""a":{"S":"x"}"#, "SET a = list_append(a, :lx)",
            "An operand in the update expression has an incorrect data type"
        ),
        (
            #""a":{"S":"x"}"#, "ADD a :one",
            "An operand in the update expression has an incorrect data type"
        ),
        (
            #""a":{"L":[]}"#, "ADD a :sab",
            "An operand in the update expression has an incorrect data type"
        ),
        (
            #""a":{"NS":["1"]}"#, "DELETE a :sab",
            "An operand in the update expression has an incorrect data type"
        ),
        (
            "", "SET a.b = :one",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            "", "REMOVE a.b",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            #""a":{"N":"1"}"#, "SET a.b = :one",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            #""a":{"M":{}}"#, "SET a[0] = :one",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            #""a":{"L":[]}"#, "SET a.x = :one",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            #""a":{"M":{}}"#, "SET a.b.c = :one",
            "The document path provided in the update expression is invalid for update"
        ),
        (
            "", "SET pk = :x",
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"
        ),
        (
            "", "REMOVE pk",
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"
        ),
    ])
    func `an update that does not fit the item changes nothing`(
        before: String, update: String, message: String
    ) throws {
        let kit = try DynamoDBHarness()
        let item = #"{"pk":{"S":"a"}\#(before.isEmpty ? "" : ",")\#(before)}"#
        try kit.put(item)
        #expect(kit.refusal("UpdateItem", request(update)) == ("ValidationException", message))
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), json(item))
    }

    @Test(arguments: [
        ("SET a = :one", true), ("ADD a :one", true), ("REMOVE a", false), ("REMOVE a.b", false),
        ("DELETE a :sab", false), ("REMOVE b SET a = :one", true),
        ("SET a = :one REMOVE b.c", true),
    ])
    func `an update of a missing item creates it, unless it only removes`(
        update: String, creates: Bool
    ) throws {
        let kit = try DynamoDBHarness()
        try kit.ok("UpdateItem", request(update))
        #expect(try kit.item(#"{"pk":{"S":"a"}}"#) != nil || !creates)
        #expect(try kit.item(#"{"pk":{"S":"a"}}"#) == nil || creates)
    }

    @Test func `an update without an expression creates an item with only its key`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("UpdateItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a"}}}"#)
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), json(#"{"pk":{"S":"a"}}"#))
    }

    @Test(
        arguments: [
            ("NONE", nil),
            ("ALL_OLD", #"{"pk":{"S":"a"},"d":{"M":{"x":{"N":"1"},"y":{"N":"2"}}},"o":{"N":"3"}}"#),
            (
                "ALL_NEW",
                #"{"pk":{"S":"a"},"d":{"M":{"x":{"N":"2"},"y":{"N":"2"}}},"e":{"N":"1"},"o":{"N":"3"}}"#
            ),
            ("UPDATED_OLD", #"{"d":{"M":{"x":{"N":"1"}}}}"#),
            ("UPDATED_NEW", #"{"d":{"M":{"x":{"N":"2"}}},"e":{"N":"1"}}"#),
        ] as [(String, String?)])
    func `an update returns the requested values`(returns: String, expected: String?) throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"d":{"M":{"x":{"N":"1"},"y":{"N":"2"}}},"o":{"N":"3"}}"#)
        let answer = try kit.ok(
            "UpdateItem",
            request("SET d.x = :two, e = :one", #","ReturnValues":"\#(returns)""#))
        expectEqual(answer["Attributes"], try expected.map(json))
    }
}
