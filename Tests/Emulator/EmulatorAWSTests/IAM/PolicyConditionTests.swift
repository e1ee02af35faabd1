import EmulatorAWS
import TestSupport

@Suite struct PolicyConditionTests {
    @Test(arguments: [
        (#""StringEquals":{"k:a":"x"}"#, "x", true), (#""StringEquals":{"k:a":"x"}"#, "X", false),
        (#""StringEquals":{"k:a":["x","y"]}"#, "y", true),
        (#""StringEquals":{"k:a":"x*"}"#, "xy", false),
        (#""StringEquals":{"k:a":"x*"}"#, "x*", true),
        (#""StringEquals":{"K:A":"x"}"#, "x", true), (#""StringEquals":{"k:b":"x"}"#, "x", false),
        (#""StringNotEquals":{"k:a":["x","y"]}"#, "y", false),
        (#""StringNotEquals":{"k:a":["x","y"]}"#, "z", true),
        (#""StringNotEquals":{"k:b":"x"}"#, "x", true),
        (#""StringEqualsIgnoreCase":{"k:a":"ÄX"}"#, "äx", true),
        (#""StringNotEqualsIgnoreCase":{"k:a":"X"}"#, "x", false),
        (#""StringLike":{"k:a":"x/*"}"#, "x/y/z", true),
        (#""StringLike":{"k:a":"x/*"}"#, "x", false),
        (#""StringLike":{"k:a":["","u1/*"]}"#, "", true),
        (#""StringLike":{"k:a":["","u1/*"]}"#, "u1/", true),
        (#""StringLike":{"k:a":["","u1/*"]}"#, "u2/", false),
        (#""StringNotLike":{"k:a":"x/*"}"#, "x/y", false),
        (#""StringNotLike":{"k:b":"x"}"#, "", true),
        (#""NumericEquals":{"k:a":10}"#, "10.0", true),
        (#""NumericEquals":{"k:a":"10"}"#, "ten", false),
        (#""NumericNotEquals":{"k:a":10}"#, "11", true),
        (#""NumericLessThan":{"k:a":10}"#, "9", true),
        (#""NumericLessThan":{"k:a":10}"#, "10", false),
        (#""NumericLessThanEquals":{"k:a":10}"#, "10", true),
        (#""NumericGreaterThan":{"k:a":-1}"#, "-0.5", true),
        (#""NumericGreaterThanEquals":{"k:a":10}"#, "9.99", false),
        (#""NumericEquals":{"k:a":"nan"}"#, "nan", false),
        (#""NumericGreaterThan":{"k:a":"1e1"}"#, "100", false),
        (#""DateLessThan":{"k:a":"2026-01-01T00:00:00Z"}"#, "2025-12-31T23:59:59Z", true),
        (#""DateLessThan":{"k:a":"2026-01-01"}"#, "2026-01-01T00:00:00Z", false),
        (#""DateGreaterThan":{"k:a":1700000000}"#, "2023-11-14T22:13:21Z", true),
        (#""DateGreaterThanEquals":{"k:a":"2023-11-14T22:13:20Z"}"#, "1700000000", true),
        (#""DateEquals":{"k:a":"2026-01-01T01:00:00+01:00"}"#, "2026-01-01T00:00:00Z", true),
        (#""DateEquals":{"k:a":"yesterday"}"#, "yesterday", false),
        (#""DateNotEquals":{"k:a":"2026-01-01"}"#, "2026-01-02", true),
        (#""Bool":{"k:a":"true"}"#, "True", true), (#""Bool":{"k:a":true}"#, "false", false),
        (#""Bool":{"k:a":"yes"}"#, "yes", false), (#""Bool":{"k:b":"false"}"#, "", false),
        (#""BinaryEquals":{"k:a":"AQI="}"#, "AQI=", true),
        (#""BinaryEquals":{"k:a":"AQ"}"#, "AQ", false),
        (#""IpAddress":{"k:a":"203.0.113.0/24"}"#, "203.0.113.77", true),
        (#""IpAddress":{"k:a":"203.0.113.0/24"}"#, "203.0.114.1", false),
        (#""IpAddress":{"k:a":"203.0.113.8/29"}"#, "203.0.113.15", true),
        (#""IpAddress":{"k:a":"203.0.113.8/29"}"#, "203.0.113.16", false),
        (#""IpAddress":{"k:a":"0.0.0.0/0"}"#, "198.51.100.1", true),
        (#""IpAddress":{"k:a":"0.0.0.0/0"}"#, "::1", false),
        (#""IpAddress":{"k:a":"2001:db8::/33"}"#, "2001:db8:7fff::1", true),
        (#""IpAddress":{"k:a":"2001:db8::/33"}"#, "2001:db8:8000::1", false),
        (#""IpAddress":{"k:a":"::ffff:1.2.3.4"}"#, "::ffff:102:304", true),
        (#""IpAddress":{"k:a":"203.0.113.0/33"}"#, "203.0.113.0", false),
        (#""IpAddress":{"k:a":"203.0.113"}"#, "203.0.113.0", false),
        (#""NotIpAddress":{"k:a":"203.0.113.0/24"}"#, "203.0.113.9", false),
        (#""NotIpAddress":{"k:b":"203.0.113.0/24"}"#, "", true),
        (#""ArnLike":{"k:a":"arn:aws:iam::*:role/app-*"}"#, "arn:aws:iam::1:role/app-x", true),
        (#""ArnEquals":{"k:a":"arn:aws:iam::*:role/*"}"#, "arn:aws:iam::1:role/x/y:z", true),
        (#""ArnLike":{"k:a":"arn:aws:*:role/x"}"#, "arn:aws:iam::1:role/x", false),
        (#""ArnLike":{"k:a":"*"}"#, "arn:aws:iam::1:role/x", true),
        (#""ArnNotLike":{"k:a":"arn:aws:iam::1:role/*"}"#, "arn:aws:iam::2:role/x", true),
        (#""ArnNotEquals":{"k:a":"arn:aws:iam::1:role/*"}"#, "arn:aws:iam::1:role/x", false),
        (#""Null":{"k:a":"true"}"#, "x", false), (#""Null":{"k:a":"false"}"#, "x", true),
        (#""Null":{"k:b":"true"}"#, "", true), (#""Null":{"k:b":false}"#, "", false),
        (#""StringEqualsIfExists":{"k:b":"x"}"#, "", true),
        (#""StringEqualsIfExists":{"k:a":"x"}"#, "y", false),
        (#""NumericLessThanIfExists":{"k:b":1}"#, "", true),
        (#""StringEquals":{"k:a":"x"},"StringLike":{"k:a":"y*"}"#, "x", false),
        (#""StringEquals":{"k:a":"x","k:b":"y"}"#, "x", false),
        (#""StringEquals":{"k:a":"${k:a}"}"#, "x", true),
        (#""StringEquals":{"k:a":"${k:b}"}"#, "x", false),
        (#""StringLike":{"k:a":"${k:a}*"}"#, "x", true),
    ])
    func `each operator compares as documented`(
        condition: String, value: String, expected: Bool
    ) throws {
        try expectEqual(holds(condition) { $0.set("k:a", value) }, expected)
    }

    @Test(arguments: [
        (#""ForAllValues:StringEquals":{"k:a":["x","y"]}"#, ["x", "y"], true),
        (#""ForAllValues:StringEquals":{"k:a":["x","y"]}"#, ["x", "z"], false),
        (#""ForAllValues:StringEquals":{"k:a":["x"]}"#, [], true),
        (#""ForAllValues:StringEqualsIfExists":{"k:a":["x"]}"#, [], true),
        (#""ForAnyValue:StringEquals":{"k:a":["x","y"]}"#, ["z", "y"], true),
        (#""ForAnyValue:StringEquals":{"k:a":["x","y"]}"#, ["z"], false),
        (#""ForAnyValue:StringEquals":{"k:a":["x"]}"#, [], false),
        (#""ForAnyValue:StringEqualsIfExists":{"k:a":["x"]}"#, [], true),
        (#""ForAnyValue:StringLike":{"k:a":"x/*"}"#, ["a", "x/b"], true),
        (#""ForAllValues:StringNotEquals":{"k:a":["x"]}"#, ["a", "b"], true),
        (#""ForAllValues:StringNotEquals":{"k:a":["x"]}"#, ["a", "x"], false),
        (#""ForAnyValue:StringNotEquals":{"k:a":["x"]}"#, ["a", "x"], true),
        (#""ForAnyValue:StringNotEquals":{"k:a":["x"]}"#, ["x"], false),
        (#""ForAnyValue:StringNotEquals":{"k:a":["x"]}"#, [], false),
        (#""StringEquals":{"k:a":["x"]}"#, ["a", "x"], true),
        (#""StringNotEquals":{"k:a":["x"]}"#, ["a", "x"], false),
    ])
    func `a set operator determines how many values must match`(
        condition: String, values: [String], expected: Bool
    ) throws {
        try expectEqual(holds(condition) { $0.set("k:a", all: values) }, expected)
    }

    /// `ForAllValues` alone is true for a request without the key, such as a Scan: `Null` with
    /// "false" requires the key.
    @Test(arguments: [
        (["USER#1"], true, true), (["USER#1", "USER#1#x"], true, true), (["USER#2"], false, false),
        (["USER#1", "USER#2"], false, false), (["user#1"], false, false), ([], true, false),
    ])
    func `a caller can be restricted to partitions of a table`(
        keys: [String], byValues: Bool, byBoth: Bool
    ) throws {
        let values = #""ForAllValues:StringLike":{"dynamodb:LeadingKeys":"USER#1*"}"#
        let present = #""Null":{"dynamodb:LeadingKeys":"false"}"#
        let fill = { (context: inout PolicyContext) in
            if !keys.isEmpty { context.set("dynamodb:LeadingKeys", all: keys) }
        }
        try expectEqual(holds(values, fill), byValues)
        try expectEqual(holds("\(values),\(present)", fill), byBoth)
    }
}
