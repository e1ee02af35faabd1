import JSON
import TestSupport
import Testing

/// The exact messages for invalid expressions.
@Suite("DynamoDB expression messages")
struct ExpressionMessageTests {
    /// - Parameter members: further members of the request, beginning with a comma.
    private func refusal(update: String, _ members: String = "") throws -> String {
        let refusal = try DynamoDBHarness().refusal(
            "UpdateItem",
            #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":\#(quoted(update))\#(members)}"#
        )
        expectEqual(refusal.type, "ValidationException")
        return refusal.message
    }

    private func refusal(condition: String, _ members: String = "") throws -> String {
        let refusal = try DynamoDBHarness().refusal(
            "PutItem",
            #"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":\#(quoted(condition))\#(members)}"#
        )
        expectEqual(refusal.type, "ValidationException")
        return refusal.message
    }

    private static let values =
        #","ExpressionAttributeValues":{":n":{"N":"1"},":m":{"N":"3"},":s":{"S":"x"},"#
        + #"":l":{"L":[]},":b":{"BOOL":true},":ss":{"SS":["a"]}}"#

    /// Exactly the values that an expression uses.
    private func values(in expression: String) -> String {
        let all: KeyValuePairs = [
            ":n": #"{"N":"1"}"#, ":m": #"{"N":"3"}"#, ":s": #"{"S":"x"}"#, ":l": #"{"L":[]}"#,
            ":b": #"{"BOOL":true}"#, ":z": #"{"SS":["a"]}"#,
        ]
        let used = all.filter { expression.contains($0.0) }.map { #""\#($0.0)":\#($0.1)"# }
        return used.isEmpty
            ? "" : #","ExpressionAttributeValues":{\#(used.joined(separator: ","))}"#
    }

    private func quoted(_ text: String) -> String {
        #"""# + text.replacing("\"", with: "\\\"") + #"""#
    }

    @Test(arguments: [
        ("a = =", #"Syntax error; token: "=", near: "= =""#),
        ("", "The expression can not be empty;"),
        ("  ", "The expression can not be empty;"),
        ("a", #"Syntax error; token: "<EOF>", near: "a""#),
        ("a b", #"Syntax error; token: "b", near: "a b""#),
        (
            "attribute_exists(a) attribute_exists(b)",
            #"Syntax error; token: "attribute_exists", near: ") attribute_exists(""#
        ),
        ("a = :n AND", #"Syntax error; token: "<EOF>", near: "AND""#),
        ("a = :n AND _b = :s", #"Syntax error; token: "_", near: "AND _b""#),
        ("!!! = :n", #"Syntax error; token: "!", near: "!!""#),
        ("a[:n] = :s", #"Syntax error; token: ":n", near: "[:n]""#),
        ("a[-1] = :s", #"Syntax error; token: "-", near: "[-1""#),
        ("a.1 = :s", #"Syntax error; token: "1", near: ".1 =""#),
        ("a = # ", ##"Syntax error; token: "#", near: "= #""##),
        ("(a = :n", #"Syntax error; token: "<EOF>", near: ":n""#),
        ("size()", #"Syntax error; token: ")", near: "()""#),
        ("name = :s", "Attribute name is a reserved keyword; reserved keyword: name"),
        ("a.Status = :s", "Attribute name is a reserved keyword; reserved keyword: Status"),
        ("((a = :n))", "The expression has redundant parentheses;"),
        ("NOT ((a = :n OR b = :n))", "The expression has redundant parentheses;"),
        (
            "#x = :n",
            "An expression attribute name used in the document path is not defined; attribute name: #x"
        ),
        (
            "a = :undefined",
            "An expression attribute value used in expression is not defined; attribute value: :undefined"
        ),
        ("dog(a)", "Invalid function name; function: dog"),
        ("SIZE(a) = :n", "Invalid function name; function: SIZE"),
        (
            "size(a, b) = :n",
            "Incorrect number of operands for operator or function; operator or function: size, number of operands: 2"
        ),
        (
            "attribute_exists(a, b)",
            "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2"
        ),
        (
            "begins_with(a)",
            "Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1"
        ),
        (
            "begins_with(a, :n)",
            "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"
        ),
        (
            "a < :l",
            "Incorrect operand type for operator or function; operator or function: <, operand type: L"
        ),
        (
            "a BETWEEN :b AND :n",
            "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL"
        ),
        (
            "size(:n) = :m",
            "Incorrect operand type for operator or function; operator or function: size, operand type: N"
        ),
        (
            "contains(:b, a)",
            "Incorrect operand type for operator or function; operator or function: contains, operand type: BOOL"
        ),
        (
            "attribute_type(a, :n)",
            "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N"
        ),
        (
            "attribute_type(a, :s)",
            "Invalid attribute type name found; type: x, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
        ),
        (
            "attribute_exists(:n)",
            "Operator or function requires a document path; operator or function: attribute_exists"
        ),
        (
            "attribute_not_exists(size(a))",
            "Operator or function requires a document path; operator or function: attribute_not_exists"
        ),
        (
            "size(a)",
            "The function is not allowed to be used this way in an expression; function: size"
        ),
        (
            "size(size(a)) = :n",
            "The function is not allowed to be used this way in an expression; function: size"
        ),
        (
            "attribute_exists(a) = :b",
            "The function is not allowed to be used this way in an expression; function: attribute_exists"
        ),
        (
            "a = a",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]"
        ),
        (
            "a.b[1] <> a.b[1]",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: <>, first operand: [a, b, [1]]"
        ),
        (
            "a IN (:n, a)",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: IN, first operand: [a]"
        ),
        (
            "a BETWEEN :m AND :n",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:3}, upper bound operand: AttributeValue: {N:1}"
        ),
        (
            "a BETWEEN :n AND :s",
            "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:x}"
        ),
    ])
    func `invalid conditions`(expression: String, reason: String) throws {
        try expectEqual(
            refusal(condition: expression, values(in: expression)),
            "Invalid ConditionExpression: " + reason)
    }

    @Test(arguments: [
        ("", "The expression can not be empty;"),
        ("SET", #"Syntax error; token: "<EOF>", near: "SET""#),
        ("HELLO a = :n", #"Syntax error; token: "HELLO", near: "HELLO a""#),
        ("SET a =", #"Syntax error; token: "<EOF>", near: "=""#),
        ("SET a = :n,", #"Syntax error; token: "<EOF>", near: ",""#),
        ("SET a = :n + :m + :n", #"Syntax error; token: "+", near: ":m + :n""#),
        ("SET :n = :m", #"Syntax error; token: ":n", near: "SET :n =""#),
        ("SET a = if_not_exists(a, :n + :m)", #"Syntax error; token: "+", near: ":n + :m""#),
        ("SET a = _f(:n)", #"Syntax error; token: "_", near: "= _f""#),
        ("REMOVE a = :n", #"Syntax error; token: "=", near: "a = :n""#),
        ("ADD a b", #"Syntax error; token: "b", near: "a b""#),
        (
            "SET a = :n SET b = :n",
            #"The "SET" section can only be used once in an update expression;"#
        ),
        (
            "remove a set b = :n Remove c",
            #"The "REMOVE" section can only be used once in an update expression;"#
        ),
        ("SET name = :n", "Attribute name is a reserved keyword; reserved keyword: name"),
        ("SET a = f123_hi(:n)", "Invalid function name; function: f123_hi"),
        ("SET a = LIST_APPEND(:l, :l)", "Invalid function name; function: LIST_APPEND"),
        (
            "SET a = list_append(:l)",
            "Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1"
        ),
        (
            "SET a = list_append(:l, :s)",
            "Incorrect operand type for operator or function; operator or function: list_append, operand type: S"
        ),
        (
            "SET a = :s + :n",
            "Incorrect operand type for operator or function; operator or function: +, operand type: S"
        ),
        (
            "SET a = if_not_exists(:n, :m)",
            "Operator or function requires a document path; operator or function: if_not_exists"
        ),
        (
            "SET a = list_append(list_append(:l, b), c)",
            "The function is not allowed to be used this way in an expression; function: list_append"
        ),
        (
            "ADD a :s",
            "Incorrect operand type for operator or function; operator: ADD, operand type: STRING"
        ),
        (
            "ADD a :l",
            "Incorrect operand type for operator or function; operator: ADD, operand type: LIST"
        ),
        (
            "DELETE a :n",
            "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER"
        ),
        (
            "SET a = :n, a.b = :m",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]"
        ),
        (
            "SET a = :n REMOVE a",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"
        ),
        (
            "SET a.b[1] = :n, a.b[1][2] = :m",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b, [1]], path two: [a, b, [1], [2]]"
        ),
        (
            "SET a.b = :n, a[1] = :m",
            "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]"
        ),
    ])
    func `invalid updates`(expression: String, reason: String) throws {
        try expectEqual(
            refusal(update: expression, values(in: expression)),
            "Invalid UpdateExpression: " + reason)
    }

    @Test(arguments: [
        ("a = = b", #"Syntax error; token: "=", near: "a = =""#),
        ("a,", #"Syntax error; token: "<EOF>", near: ",""#),
        ("!!!", #"Syntax error; token: "!", near: "!!""#),
        ("a, name", "Attribute name is a reserved keyword; reserved keyword: name"),
        (
            "a, a",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"
        ),
        (
            "a.b, a[0]",
            "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]"
        ),
    ])
    func `invalid projections`(expression: String, reason: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "GetItem",
            #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"ProjectionExpression":"\#(expression)"}"#)
        #expect(
            refusal == ("ValidationException", "Invalid ProjectionExpression: " + reason))
    }

    @Test func `expressions are limited to 4 KB and a nesting depth`() throws {
        let long = "attribute_exists(" + String(repeating: "a", count: 4096) + ")"
        #expect(
            try refusal(condition: long).hasPrefix(
                "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size;"
            ))
        let deep = String(repeating: "(", count: 2000) + "a"
        #expect(try refusal(condition: deep).hasPrefix("Invalid ConditionExpression: "))
        let nested =
            String(repeating: "NOT (", count: 90) + "attribute_exists(a)"
            + String(repeating: ")", count: 90)
        let kit = try DynamoDBHarness()
        try kit.ok(
            "PutItem",
            #"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"NOT \#(nested)"}"#)
    }

    @Test(arguments: [
        (
            #","ExpressionAttributeValues":{":n":{"N":"1"},":x":{"N":"1"}}"#,
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}"
        ),
        (
            #","ExpressionAttributeNames":{"\u0023x":"y"},"ExpressionAttributeValues":{":n":{"N":"1"}}"#,
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"
        ),
        (#","ExpressionAttributeNames":{}"#, "ExpressionAttributeNames must not be empty"),
        (#","ExpressionAttributeValues":{}"#, "ExpressionAttributeValues must not be empty"),
        (
            #","ExpressionAttributeNames":{"x":"y"}"#,
            #"ExpressionAttributeNames contains invalid key: Syntax error; key: "x""#
        ),
        (
            ##","ExpressionAttributeNames":{"#":"y"}"##,
            ##"ExpressionAttributeNames contains invalid key: Syntax error; key: "#""##
        ),
        (
            #","ExpressionAttributeValues":{":a!":{"N":"1"}}"#,
            #"ExpressionAttributeValues contains invalid key: Syntax error; key: ":a!""#
        ),
        (
            #","ExpressionAttributeValues":{":n":{"N":"x"}}"#,
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for key :n"
        ),
        (
            #","ExpressionAttributeValues":{":n":{"SS":[]}}"#,
            "ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  may not be empty for key :n"
        ),
        (
            #","ExpressionAttributeValues":{":n":{}}"#,
            "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes for key :n"
        ),
    ])
    func `invalid placeholders`(members: String, message: String) throws {
        try expectEqual(refusal(condition: "attribute_exists(pk) OR a = :n", members), message)
    }

    @Test(arguments: [
        (
            "PutItem", #""Item":{"pk":{"S":"a"}},"ExpressionAttributeNames":{"\u0023x":"y"}"#,
            "ExpressionAttributeNames can only be specified when using expressions"
        ),
        (
            "PutItem", #""Item":{"pk":{"S":"a"}},"ExpressionAttributeValues":{":x":{"N":"1"}}"#,
            "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"
        ),
        (
            "UpdateItem", #""Key":{"pk":{"S":"a"}},"ExpressionAttributeValues":{":x":{"N":"1"}}"#,
            "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"
        ),
        (
            "Scan", #""ExpressionAttributeValues":{":x":{"N":"1"}}"#,
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"
        ),
        (
            "GetItem", #""Key":{"pk":{"S":"a"}},"ExpressionAttributeNames":{"\u0023x":"y"}"#,
            "ExpressionAttributeNames can only be specified when using expressions"
        ),
    ])
    func `placeholders without an expression`(operation: String, members: String, message: String)
        throws
    {
        let refusal = try DynamoDBHarness().refusal(operation, #"{"TableName":"tbl",\#(members)}"#)
        #expect(refusal == ("ValidationException", message))
    }
}
