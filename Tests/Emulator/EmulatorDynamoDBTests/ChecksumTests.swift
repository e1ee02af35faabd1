import EmulatorDynamoDB
import TestSupport

/// Bodies and CRC-32 checksums that were recorded from the service.
@Suite("DynamoDB checksums")
struct ChecksumTests {
    private func answer(
        method: String = "POST", target: String? = nil,
        contentType: String? = "application/x-amz-json-1.0", body: String = "{}"
    ) throws -> DynamoDBResponse {
        try DynamoDBHarness().service.answer(
            DynamoDBRequest(
                method: method, target: target.map { "DynamoDB_20120810.\($0)" },
                contentType: contentType, body: Array(body.utf8)))
    }

    private func text(_ answer: DynamoDBResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    private func header(_ name: String, _ answer: DynamoDBResponse) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    @Test func `GET returns the health text with its known checksum`() throws {
        let answer = try answer(method: "GET", contentType: nil)
        expectEqual(answer.status, 200)
        expectEqual(text(answer), "healthy: dynamodb.us-east-1.amazonaws.com ")
        expectEqual(answer.body.count, 42)
        expectEqual(header("x-amz-crc32", answer), "3128867991")
    }

    @Test func `an empty response has its known checksum and the request's type`() throws {
        let answer = try answer(
            target: "GetItem", contentType: "application/x-amz-json-1.0; charset=utf-8",
            body: #"{"TableName":"tbl","Key":{"pk":{"S":"none"}}}"#)
        expectEqual(text(answer), "{}")
        expectEqual(header("x-amz-crc32", answer), "2745614147")
        expectEqual(header("Content-Type", answer), "application/x-amz-json-1.0")
    }

    @Test func `a failed condition has its known body and checksum`() throws {
        let answer = try answer(
            target: "PutItem",
            body: #"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"#
                + #""ConditionExpression":"attribute_exists(pk)"}"#)
        expectEqual(answer.status, 400)
        expectEqual(
            text(answer),
            #"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","#
                + #""message":"The conditional request failed"}"#)
        expectEqual(header("x-amz-crc32", answer), "396270901")
    }
}
