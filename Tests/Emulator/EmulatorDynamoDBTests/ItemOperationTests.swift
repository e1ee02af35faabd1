import JSON
import TestSupport
import Testing

@Suite("DynamoDB items")
struct ItemOperationTests {
    @Test func `an item with values of every type is returned unchanged`() throws {
        let kit = try DynamoDBHarness()
        let item =
            #"{"pk":{"S":"a"},"b":{"B":"AAEC/w=="},"bs":{"BS":["AA==","AQ=="]},"e":{"S":""},"#
            + #""f":{"BOOL":false},"l":{"L":[{"N":"-1.5"},{"L":[]},{"M":{}}]},"#
            + #""m":{"M":{"inner":{"M":{"x":{"S":"\u0000\"\\\n\té😀"}}}}},"n":{"N":"0"},"nul":{"NULL":true},"#
            + #""ns":{"NS":["-2","1"]},"ss":{"SS":["a","b"]},"t":{"BOOL":true}}"#
        try kit.put(item)
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), json(item))
    }

    @Test func `put replaces an item, delete is idempotent, and get then finds nothing`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"x":{"N":"1"}}"#)
        try kit.put(#"{"pk":{"S":"a"},"y":{"N":"2"}}"#)
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), json(#"{"pk":{"S":"a"},"y":{"N":"2"}}"#))
        let delete = #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"}"#
        try expectEqual(
            kit.ok("DeleteItem", delete), json(#"{"Attributes":{"pk":{"S":"a"},"y":{"N":"2"}}}"#))
        try expectEqual(kit.ok("DeleteItem", delete), [:])
        expectEqual(kit.call("GetItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a"}}}"#).text, "{}")
    }

    @Test(arguments: [
        (
            #"{"pk":{"S":"a"}}"#, "PutItem", "UPDATED_NEW",
            "ReturnValues can only be ALL_OLD or NONE"
        ),
        (
            #"{"pk":{"S":"a"}}"#, "PutItem", "all_old",
            "1 validation error detected: Value 'all_old' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
        ),
    ])
    func `invalid ReturnValues`(
        item: String, operation: String, returns: String, message: String
    ) throws {
        let refusal = try DynamoDBHarness().refusal(
            operation, #"{"TableName":"tbl","Item":\#(item),"ReturnValues":"\#(returns)"}"#)
        #expect(refusal == ("ValidationException", message))
    }

    @Test(arguments: [
        (
            #"{"other":{"S":"a"}}"#,
            "One or more parameter values were invalid: Missing the key pk in the item"
        ),
        (
            #"{"pk":{"N":"1"}}"#,
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"
        ),
        (
            #"{"pk":{"S":""}}"#,
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
        ),
        (
            #"{"pk":{"S":"a"},"x":{}}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"Q":"y"}}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"S":"a","N":"1"}}"#,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"NULL":false}}"#,
            "One or more parameter values were invalid: Null attribute value types must have the value of true"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"SS":[]}}"#,
            "One or more parameter values were invalid: An string set  may not be empty"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"NS":[]}}"#,
            "One or more parameter values were invalid: An number set  may not be empty"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"BS":[]}}"#,
            "One or more parameter values were invalid: Binary sets should not be empty"
        ),
        (
            #"{"pk":{"S":"a"},"x":{"SS":["a","a"]}}"#,
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
        ),
        (#"{"pk":{"S":"a"},"x":{"NS":["1","1.0"]}}"#, "Input collection contains duplicates"),
    ])
    func `invalid items`(item: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "PutItem", #"{"TableName":"tbl","Item":\#(item)}"#)
        #expect(refusal == ("ValidationException", message))
    }

    @Test(arguments: [
        "{}", #"{"pk":{"N":"1"}}"#, #"{"other":{"S":"a"}}"#, #"{"pk":{"S":"a"},"x":{"S":"b"}}"#,
    ])
    func `a key that does not match the schema`(key: String) throws {
        let kit = try DynamoDBHarness()
        for operation in ["GetItem", "DeleteItem", "UpdateItem"] {
            #expect(
                kit.refusal(operation, #"{"TableName":"tbl","Key":\#(key)}"#)
                    == ("ValidationException", "The provided key element does not match the schema")
            )
        }
    }

    @Test func `keys and items have size limits`() throws {
        let kit = try DynamoDBHarness()
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        try kit.put(#"{"pk":{"S":"\#(text(2048))"},"sk":{"S":"\#(text(1024))"}}"#, in: "sorted")
        expectEqual(
            kit.refusal("PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"\#(text(2049))"}}}"#)
                .message,
            "One or more parameter values were invalid: Size of hashkey has exceeded the "
                + "maximum size limit of2048 bytes")
        expectEqual(
            kit.refusal(
                "PutItem",
                #"{"TableName":"sorted","Item":{"pk":{"S":"a"},"sk":{"S":"\#(text(1025))"}}}"#
            ).message,
            "One or more parameter values were invalid: Aggregated size of all range keys "
                + "has exceeded the size limit of 1024 bytes")
        // 2 + 1 + 1 + value = 400 KB exactly.
        try kit.put(#"{"pk":{"S":"a"},"v":{"S":"\#(text(400 << 10 - 4))"}}"#)
        #expect(
            kit.refusal(
                "PutItem",
                #"{"TableName":"tbl","Item":{"pk":{"S":"a"},"v":{"S":"\#(text(400 << 10 - 3))"}}}"#)
                == ("ValidationException", "Item size has exceeded the maximum allowed size"))
        #expect(
            kit.refusal(
                "UpdateItem",
                #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET w = :w","ExpressionAttributeValues":{":w":{"S":"x"}}}"#
            )
                == (
                    "ValidationException",
                    "Item size to update has exceeded the maximum allowed size"
                ))
    }

    @Test(arguments: [(31, true), (32, false), (60, false)])
    func `lists and maps nest thirty-two levels, including the item`(levels: Int, isAllowed: Bool)
        throws
    {
        let open = String(repeating: #"{"M":{"a":"#, count: levels - 1)
        let value = open + #"{"L":[]}"# + String(repeating: "}}", count: levels - 1)
        let answer = try DynamoDBHarness().call(
            "PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"a"},"v":\#(value)}}"#)
        expectEqual(answer.status == 200, isAllowed, "\(answer.text)")
        #expect(isAllowed || answer.text.contains("nested levels beyond supported limit"))
    }

    @Test(arguments: [
        (
            "PutItem", #"{}"#,
            "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null; Value null at 'item' failed to satisfy constraint: Member must not be null"
        ),
        (
            "GetItem", #"{"TableName":"a","Key":{}}"#,
            "1 validation error detected: Value 'a' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"
        ),
        (
            "GetItem", #"{"TableName":"","Key":{}}"#,
            "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
        ),
        (
            "Scan", #"{"TableName":"abc;","Limit":0,"ReturnConsumedCapacity":"x"}"#,
            "3 validation errors detected: Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1; Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
        ),
        (
            "TransactWriteItems",
            #"{"TransactItems":[],"ClientRequestToken":"1234567890123456789012345678901234567"}"#,
            "2 validation errors detected: Value '1234567890123456789012345678901234567' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36; Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"
        ),
        (
            "TransactWriteItems",
            #"{"TransactItems":[{"ConditionCheck":{"TableName":"tbl","Key":{}}}]}"#,
            "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy constraint: Member must not be null"
        ),
    ])
    func `violations of the service model are collected`(
        operation: String, body: String, message: String
    )
        throws
    {
        #expect(try DynamoDBHarness().refusal(operation, body) == ("ValidationException", message))
    }

    @Test func `checks are made in order: types, model, semantics, table, key, condition`() throws {
        let kit = try DynamoDBHarness()
        func type(_ body: String) -> String { kit.refusal("PutItem", body).message }
        let serialization = type(
            #"{"TableName":"x","Item":{"pk":{"S":"a"}},"ConditionExpression":7}"#)
        expectEqual(serialization, "NUMBER_VALUE cannot be converted to String")
        #expect(
            type(#"{"TableName":"x","Item":{"pk":{"S":"a"}},"ConditionExpression":""}"#)
                .hasPrefix("1 validation error detected: "))
        expectEqual(
            type(#"{"TableName":"absent","Item":{"pk":{"S":"a"}},"ConditionExpression":""}"#),
            "Invalid ConditionExpression: The expression can not be empty;")
        expectEqual(
            type(#"{"TableName":"absent","Item":{"pk":{"N":"1"}}}"#), "Requested resource not found"
        )
        #expect(
            type(
                #"{"TableName":"tbl","Item":{"pk":{"N":"1"}},"ConditionExpression":"attribute_exists(pk)"}"#
            )
            .hasSuffix("Type mismatch for key pk expected: S actual: N"))
    }

    @Test func `a failed condition returns the item only if requested and present`() throws {
        let kit = try DynamoDBHarness()
        let request =
            #"{"TableName":"tbl","Item":{"pk":{"S":"u#1"}},"ConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"1"}}"#
        let all = request + #","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"#
        expectEqual(kit.call("PutItem", all).body["Item"], nil)
        try kit.put(#"{"pk":{"S":"u#1"},"n":{"N":"7"}}"#)
        expectEqual(kit.call("PutItem", request + "}").body["Item"], nil)
        expectEqual(
            kit.call("PutItem", all).text,
            #"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed","Item":{"n":{"N":"7"},"pk":{"S":"u#1"}}}"#
        )
    }

    @Test(arguments: [
        ("a", #"{"a":{"N":"1"}}"#), ("a, m.x", #"{"a":{"N":"1"},"m":{"M":{"x":{"N":"1"}}}}"#),
        ("l[2], l[0]", #"{"l":{"L":[{"S":"0"},{"S":"2"}]}}"#), ("gone, m.gone, l[9], a.b", "{}"),
        ("m.y.z", #"{"m":{"M":{"y":{"M":{"z":{"S":"in"}}}}}}"#),
    ])
    func `a projection returns the parts that exist`(expression: String, expected: String) throws {
        let kit = try DynamoDBHarness()
        try kit.put(
            #"{"pk":{"S":"p"},"a":{"N":"1"},"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"}]},"#
                + #""m":{"M":{"x":{"N":"1"},"y":{"M":{"z":{"S":"in"}}}}}}"#)
        let answer = try kit.ok(
            "GetItem",
            #"{"TableName":"tbl","Key":{"pk":{"S":"p"}},"ProjectionExpression":"\#(expression)"}"#)
        expectEqual(answer["Item"], try json(expected))
    }

    @Test func `consumed capacity is returned on request`() throws {
        let kit = try DynamoDBHarness()
        expectEqual(
            kit.call(
                "PutItem",
                #"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"}"#
            ).text, #"{"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":1.0}}"#)
        expectEqual(
            kit.call(
                "GetItem",
                #"{"TableName":"tbl","Key":{"pk":{"S":"b"}},"ReturnConsumedCapacity":"INDEXES"}"#
            ).text,
            #"{"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":0.5,"Table":{"CapacityUnits":0.5}}}"#
        )
    }
}
