import EmulatorDebugging
import TestSupport

@Suite("Tables in requests") struct TableNameTests {
    @Test(arguments: [
        (#"{"TableName":"items"}"#, "items"), (#"{"TableName":"a","TableName":"b"}"#, "a"),
        (#"{"Key":{"pk":{"S":"a"}}, "TableName" : "items"}"#, "items"),
        (#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/items"}"#, "items"),
        (
            #"{"TransactItems":[{"Put":{"TableName":"a"}},{"Delete":{"TableName":"b"}},"#
                + #"{"Update":{"TableName":"a"}}]}"#, "a, b"
        ),
        (#"{"RequestItems": {"items": {"Keys": []}}}"#, "items"),
        // A member of an item, not of the request.
        (#"{"Item":{"TableName":{"S":"x"}},"TableName":"items"}"#, "items"),
        (#"{"Item":{"a":{"S":"\"TableName\":\"x\""}},"TableName":"items"}"#, "items"),
        (#"{"TableName":"with space"}"#, ""), (#"{"TableName":""}"#, ""),
        (#"{"TableName":"cut"#, "cut"), (#"{"TableName""#, ""), ("\"", ""), ("", ""),
    ])
    func `table names are found without parsing`(body: String, names: String) {
        let operation = body.contains("Items\"") ? "BatchGetItem" : "GetItem"
        expectEqual(TableNames.text(Array(body.utf8), of: operation), names)
    }
}
