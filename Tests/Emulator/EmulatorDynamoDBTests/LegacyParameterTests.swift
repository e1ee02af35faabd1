import JSON
import TestSupport
import Testing

/// The parameters before expressions: Amazon DynamoDB API Reference, "Legacy conditional
/// parameters".
@Suite("DynamoDB legacy parameters")
struct LegacyParameterTests {
    private static let item =
        #"{"pk":{"S":"a"},"n":{"N":"5"},"s":{"S":"hello"},"l":{"L":[{"N":"1"}]},"#
        + #""set":{"NS":["1","2"]}}"#

    private func kit() throws -> DynamoDBHarness {
        let kit = try DynamoDBHarness()
        try kit.put(Self.item)
        return kit
    }

    private func write(_ expected: String, _ more: String = "") -> String {
        #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"Expected":\#(expected)\#(more)}"#
    }

    @Test(arguments: [
        (#"{"n":{"Value":{"N":"5"}}}"#, true),
        (#"{"n":{"Value":{"N":"6"},"Exists":true}}"#, false),
        (#"{"gone":{"Exists":false}}"#, true),
        (#"{"n":{"Exists":false}}"#, false),
        (#"{"n":{"ComparisonOperator":"LT","AttributeValueList":[{"N":"6"}]}}"#, true),
        (#"{"n":{"ComparisonOperator":"GE","Value":{"N":"6"}}}"#, false),
        (
            #"{"n":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"5"},{"N":"9"}]}}"#,
            true
        ),
        (#"{"n":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"1"},{"N":"5"}]}}"#, true),
        (#"{"s":{"ComparisonOperator":"BEGINS_WITH","AttributeValueList":[{"S":"he"}]}}"#, true),
        (#"{"s":{"ComparisonOperator":"CONTAINS","AttributeValueList":[{"S":"ell"}]}}"#, true),
        (#"{"set":{"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"N":"2"}]}}"#, false),
        (
            #"{"gone":{"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"N":"2"}]}}"#,
            false
        ),
        (#"{"gone":{"ComparisonOperator":"NE","AttributeValueList":[{"N":"2"}]}}"#, true),
        (#"{"gone":{"ComparisonOperator":"NULL"}}"#, true),
        (#"{"s":{"ComparisonOperator":"NOT_NULL","AttributeValueList":[]}}"#, true),
        (#"{"n":{"Value":{"N":"5"}},"s":{"Value":{"S":"other"}}}"#, false),
    ])
    func `a write depends on its expectations`(expected: String, holds: Bool) throws {
        let refusal = try kit().refusal("DeleteItem", write(expected))
        expectEqual(refusal.type, holds ? "" : "ConditionalCheckFailedException")
    }

    @Test func `one of several expectations is enough with OR`() throws {
        let two = #"{"n":{"Value":{"N":"6"}},"s":{"Value":{"S":"hello"}}}"#
        let kit = try kit()
        expectEqual(kit.refusal("DeleteItem", write(two)).type, "ConditionalCheckFailedException")
        try kit.ok("DeleteItem", write(two, #","ConditionalOperator":"OR""#))
    }

    @Test(arguments: [
        (#"{"n":{}}"#, "Value must be provided when Exists is null for Attribute: n"),
        (#"{"n":{"Exists":true}}"#, "Value must be provided when Exists is true for Attribute: n"),
        (
            #"{"n":{"Exists":false,"Value":{"N":"1"}}}"#,
            "Value cannot be used when Exists is false for Attribute: n"
        ),
        (
            #"{"n":{"Exists":true,"ComparisonOperator":"NULL"}}"#,
            "Exists and ComparisonOperator cannot be used together for Attribute: n"
        ),
        (
            #"{"n":{"Value":{"N":"1"},"AttributeValueList":[]}}"#,
            "Value and AttributeValueList cannot be used together for Attribute: n"
        ),
        (
            #"{"n":{"AttributeValueList":[]}}"#,
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: n"
        ),
        (
            #"{"n":{"ComparisonOperator":"EQ"}}"#,
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n"
        ),
        (
            #"{"n":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"},{"N":"2"}]}}"#,
            "Invalid number of argument(s) for the EQ ComparisonOperator"
        ),
        (
            #"{"n":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"1"},{"S":"2"}]}}"#,
            "AttributeValues inside AttributeValueList must be of same type"
        ),
        (
            #"{"n":{"ComparisonOperator":"LT","AttributeValueList":[{"L":[]}]}}"#,
            "ComparisonOperator LT is not valid for L AttributeValue type"
        ),
        (
            #"{"n":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"2"},{"N":"1"}]}}"#,
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        ),
    ])
    func `invalid expectations`(expected: String, message: String) throws {
        let refusal = try kit().refusal("DeleteItem", write(expected))
        expectEqual(refusal.type, "ValidationException")
        #expect(refusal.message.hasSuffix(message), "\(refusal.message)")
    }

    @Test(arguments: [
        (#""Expected":{},"ConditionalOperator":"OR""#, "cannot be used without Filter or Expected"),
        (
            #""Expected":{"n":{"Value":{"N":"5"}}},"ConditionalOperator":"AND""#,
            "can only be used when Filter or Expected has two or more elements"
        ),
    ])
    func `an operator needs conditions to combine`(members: String, message: String) throws {
        let refusal = try kit().refusal(
            "DeleteItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},\#(members)}"#)
        expectEqual(refusal.message, "ConditionalOperator \(message)")
    }

    private func update(_ updates: String, _ more: String = "") -> String {
        #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"AttributeUpdates":\#(updates)\#(more)}"#
    }

    @Test(arguments: [
        (#"{"n":{"Value":{"S":"new"}}}"#, #"{"n":{"S":"new"}}"#),
        (#"{"n":{"Action":"ADD","Value":{"N":"2"}}}"#, #"{"n":{"N":"7"}}"#),
        (#"{"new":{"Action":"ADD","Value":{"N":"2"}}}"#, #"{"new":{"N":"2"}}"#),
        (#"{"set":{"Action":"ADD","Value":{"NS":["2","3"]}}}"#, #"{"set":{"NS":["1","2","3"]}}"#),
        (#"{"set":{"Action":"DELETE","Value":{"NS":["2"]}}}"#, #"{"set":{"NS":["1"]}}"#),
        (
            #"{"l":{"Action":"ADD","Value":{"L":[{"N":"2"}]}}}"#,
            #"{"l":{"L":[{"N":"1"},{"N":"2"}]}}"#
        ),
    ])
    func `attributes are updated one by one`(updates: String, expected: String) throws {
        let answer = try kit().ok("UpdateItem", update(updates, #","ReturnValues":"UPDATED_NEW""#))
        try expectEqual(answer["Attributes"], json(expected))
    }

    @Test func `an attribute is removed, and no update creates an item`() throws {
        let kit = try kit()
        try kit.ok("UpdateItem", update(#"{"s":{"Action":"DELETE"},"l":{"Action":"DELETE"}}"#))
        try expectEqual(
            kit.item(#"{"pk":{"S":"a"}}"#),
            json(#"{"pk":{"S":"a"},"n":{"N":"5"},"set":{"NS":["1","2"]}}"#))
        try kit.ok(
            "UpdateItem", #"{"TableName":"tbl","Key":{"pk":{"S":"b"}},"AttributeUpdates":{}}"#)
        try expectEqual(kit.item(#"{"pk":{"S":"b"}}"#), json(#"{"pk":{"S":"b"}}"#))
    }

    @Test(arguments: [
        (
            #"{"n":{"Action":"PUT"}}"#,
            "Only DELETE action is allowed when no attribute value is specified"
        ),
        (
            #"{"n":{"Action":"DELETE","Value":{"N":"1"}}}"#,
            "DELETE action with value is not supported for the type N"
        ),
        (
            #"{"n":{"Action":"ADD","Value":{"S":"1"}}}"#,
            "ADD action is not supported for the type S"
        ),
        (#"{"s":{"Action":"ADD","Value":{"N":"1"}}}"#, "Type mismatch for attribute to update"),
        (
            #"{"pk":{"Value":{"S":"b"}}}"#,
            "Cannot update attribute pk. This attribute is part of the key"
        ),
    ])
    func `invalid updates`(updates: String, message: String) throws {
        let refusal = try kit().refusal("UpdateItem", update(updates))
        expectEqual(refusal.type, "ValidationException")
        #expect(refusal.message.hasSuffix(message), "\(refusal.message)")
    }

    @Test func `only the requested attributes are returned`() throws {
        let kit = try kit()
        let get = #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"AttributesToGet":"#
        let answer = try kit.ok("GetItem", get + #"["n","gone"]}"#)
        try expectEqual(answer["Item"], json(#"{"n":{"N":"5"}}"#))
        expectEqual(
            kit.refusal("GetItem", get + #"["n","n"]}"#).message,
            "One or more parameter values were invalid: Duplicate value in attribute name: n")
    }

    @Test func `key conditions and filters select items`() throws {
        let kit = try DynamoDBHarness()
        for number in 1...4 {
            try kit.put(
                #"{"pk":{"S":"p"},"sk":{"S":"\#(number)"},"n":{"N":"\#(number)"}}"#, in: "sorted")
        }
        func query(_ sort: String, _ more: String = "") -> String {
            #"{"TableName":"sorted","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"p"}]}\#(sort)}\#(more)}"#
        }
        let above =
            #","sk":{"ComparisonOperator":"GT","AttributeValueList":[{"S":"1"}]}"#
        let even =
            #"{"n":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"2"},{"N":"4"}]}}"#
        try expectEqual(kit.ok("Query", query(above))["Count"], 3)
        try expectEqual(kit.ok("Query", query(above, #","QueryFilter":\#(even)"#))["Count"], 2)
        let scan = #"{"TableName":"sorted","ScanFilter":\#(even)}"#
        try expectEqual(kit.ok("Scan", scan)["Count"], 2)
        expectEqual(
            kit.refusal("Query", query("", #","QueryFilter":{"sk":{"ComparisonOperator":"NULL"}}"#))
                .message,
            "QueryFilter can only contain non-primary key attributes: "
                + "Primary key attribute: sk")
        expectEqual(
            kit.refusal("Query", query(#","sk":{"ComparisonOperator":"NULL"}"#)).message,
            "Attempted conditional constraint is not an indexable operation")
        expectEqual(
            kit.refusal("Query", #"{"TableName":"sorted","KeyConditions":{}}"#).message,
            "Conditions can be of length 1 or 2 only")
    }

    @Test(arguments: [
        (
            "UpdateItem",
            #""Key":{"pk":{"S":"a"}},"Expected":{},"AttributeUpdates":{},"UpdateExpression":"REMOVE a""#,
            "{AttributeUpdates, Expected} Expression parameters: {UpdateExpression}"
        ),
        (
            "GetItem",
            #""Key":{"pk":{"S":"a"}},"AttributesToGet":["a"],"ProjectionExpression":"a""#,
            "{AttributesToGet} Expression parameters: {ProjectionExpression}"
        ),
        (
            "Scan", #""ScanFilter":{},"FilterExpression":"a = b""#,
            "{ScanFilter} Expression parameters: {FilterExpression}"
        ),
    ])
    func `a mix with expressions names both`(operation: String, members: String, names: String)
        throws
    {
        let refusal = try DynamoDBHarness().refusal(operation, #"{"TableName":"tbl",\#(members)}"#)
        expectEqual(
            refusal.message,
            "Can not use both expression and non-expression parameters in the same request: "
                + "Non-expression parameters: \(names)")
    }
}
