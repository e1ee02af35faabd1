import EmulatorDynamoDB
import JSON
import TestSupport
import Testing

@Suite("DynamoDB numbers")
struct NumberTests {
    private func stored(_ number: String) throws -> String? {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"n":{"N":"\#(number)"}}"#)
        return try kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"]?.stringValue
    }

    @Test(arguments: [
        ("007", "7"), ("+3", "3"), ("1.10", "1.1"), (".5", "0.5"), ("1e3", "1000"),
        ("1e-3", "0.001"), ("-0.0", "0"), ("0e1000", "0"), ("-17.4E37", "-174" + zeros(36)),
        ("1e125", "1" + zeros(125)), ("1e-130", "0." + zeros(129) + "1"),
        ("3.1415926535897932384626433832795028841", "3.1415926535897932384626433832795028841"),
        (
            "31415926535897932384626433832795028841e30",
            "31415926535897932384626433832795028841" + zeros(30)
        ), ("100" + zeros(60) + ".000", "100" + zeros(60)), ("-0.00120", "-0.0012"),
        ("9007199254740993", "9007199254740993"),
    ])
    func `numbers are returned exactly in plain notation`(given: String, expected: String) throws {
        try expectEqual(stored(given), expected)
    }

    @Test(arguments: [
        ("abc", "The parameter cannot be converted to a numeric value: abc"),
        ("NaN", "The parameter cannot be converted to a numeric value: NaN"),
        ("Infinity", "The parameter cannot be converted to a numeric value: Infinity"),
        (" 1", "The parameter cannot be converted to a numeric value:  1"),
        ("1 ", "The parameter cannot be converted to a numeric value: 1 "),
        ("", "The parameter cannot be converted to a numeric value: "),
        ("1e", "The parameter cannot be converted to a numeric value: 1e"),
        ("--1", "The parameter cannot be converted to a numeric value: --1"),
        ("1.2.3", "The parameter cannot be converted to a numeric value: 1.2.3"),
        ("٣", "The parameter cannot be converted to a numeric value: ٣"),
        (
            "3.14159265358979323846264338327950288419",
            "Attempting to store more than 38 significant digits in a Number"
        ),
        (
            "1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        ),
        (
            "11e125",
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        ),
        (
            "1e999999999999999999999",
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        ),
        (
            "1e-131",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        ),
        (
            "0.9e-130",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        ),
    ])
    func `invalid numbers are refused`(given: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"a"},"n":{"N":"\#(given)"}}}"#)
        #expect(refusal == ("ValidationException", message))
    }

    @Test func `a JSON number is not accepted as a number`() throws {
        let refusal = try DynamoDBHarness().refusal(
            "PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"a"},"n":{"N":123}}}"#)
        #expect(
            refusal == ("SerializationException", "NUMBER_VALUE cannot be converted to String"))
    }

    @Test(arguments: [
        ("1", "+", "10000000000000000000000", "10000000000000000000001"),
        ("10000000000000000000000", "-", "1", "9999999999999999999999"),
        ("1e38", "-", "1", "99999999999999999999999999999999999999"),
        ("5", "-", "5", "0"), ("0.1", "+", "0.2", "0.3"), ("-3", "+", "1", "-2"),
        ("1e-130", "+", "0", "0." + zeros(129) + "1"), ("99", "+", "1", "100"),
        (
            "100000000000000000000000000000000000005e1", "-",
            "90000000000000000000000000000000000001",
            "910000000000000000000000000000000000049"
        ),
    ])
    func `sums are exact`(left: String, operation: String, right: String, sum: String) throws {
        let kit = try DynamoDBHarness()
        let answer = kit.call("UpdateItem", update(left, operation, right))
        // The last sum has 39 digits and must not be rounded.
        if sum.utf8.count > 38, !sum.contains(".") {
            expectEqual(answer.status, 400)
        } else {
            expectEqual(answer.body["Attributes"]?["n"]?["N"], .string(sum), "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("9e125", "+", "9e125"), ("9e125", "-", "-9e125"), ("1e50", "+", "1"), ("1e50", "-", "1"),
    ])
    func `a sum outside the range overflows`(
        left: String, operation: String, right: String
    ) throws {
        let refusal = try DynamoDBHarness().refusal("UpdateItem", update(left, operation, right))
        #expect(
            refusal == (
                "ValidationException",
                "Number overflow. Attempting to store a number with magnitude larger than "
                    + "supported range"
            ))
    }

    private func update(_ left: String, _ operation: String, _ right: String) -> String {
        #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET n = :l \#(operation) :r","#
            + #""ExpressionAttributeValues":{":l":{"N":"\#(left)"},":r":{"N":"\#(right)"}},"#
            + #""ReturnValues":"UPDATED_NEW"}"#
    }

    @Test func `equal numbers are the same key in any notation`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("CreateTable", DynamoDBHarness.table("num", keys: ["n": "N"]))
        try kit.put(#"{"n":{"N":"1e3"},"v":{"S":"x"}}"#, in: "num")
        #expect(try kit.item(#"{"n":{"N":"1000.0"}}"#, in: "num") != nil)
    }

    @Test func `numbers sort by value, whatever their size and sign`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("CreateTable", DynamoDBHarness.table("num", keys: ["pk": "S", "n": "N"]))
        let sorted = [
            "-1" + zeros(125), "-100", "-99.5", "-10", "-9", "-1.1", "-1", "-0.1", "-0.01", "0",
            "0." + zeros(129) + "1", "0.01", "0.1", "1", "1.05", "1.1", "9", "10", "99", "100",
            "1000000", "9" + zeros(125),
        ]
        // Inserted in a shuffled order.
        for index in sorted.indices {
            let number = sorted[(index * 7 + 3) % sorted.count]
            try kit.put(#"{"pk":{"S":"p"},"n":{"N":"\#(number)"}}"#, in: "num")
        }
        let answer = try kit.ok(
            "Query",
            #"{"TableName":"num","KeyConditionExpression":"pk = :p","#
                + #""ExpressionAttributeValues":{":p":{"S":"p"}}}"#)
        let numbers = answer["Items"]?.arrayValue?.compactMap { $0["n"]?["N"]?.stringValue }
        expectEqual(numbers, sorted)
    }
}

private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
