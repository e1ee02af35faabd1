import Bytes
import EmulatorDynamoDB
import TestSupport
import Testing

/// DynamoDB Developer Guide, "DynamoDB low-level API": headers, errors and checksums.
@Suite("DynamoDB envelope")
struct EnvelopeTests {
    private static let type = "application/x-amz-json-1.0"

    private func answer(
        method: String = "POST", target: String? = "DynamoDB_20120810.ListTables",
        contentType: String? = type, body: String = "{}", access: DynamoDBAccessError? = nil
    ) throws -> DynamoDBResponse {
        try DynamoDBHarness(createsTables: false).service.answer(
            DynamoDBRequest(
                method: method, target: target, contentType: contentType, body: Array(body.utf8),
                access: access))
    }

    private func text(_ answer: DynamoDBResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    private func header(_ name: String, _ answer: DynamoDBResponse) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    @Test func `GET returns the health text with its known checksum`() throws {
        let answer = try answer(method: "GET", target: nil, contentType: nil)
        expectEqual(answer.status, 200)
        expectEqual(text(answer), "healthy: dynamodb.us-east-1.amazonaws.com ")
        expectEqual(answer.body.count, 42)
        expectEqual(header("x-amz-crc32", answer), "3128867991")
    }

    @Test(arguments: [
        ("PUT", "application/x-amz-json-1.0"), ("DELETE", "application/json"),
        ("POST", "text/plain"), ("POST", nil as String?),
    ])
    func `other methods and content types are not found`(method: String, type: String?) throws {
        let answer = try answer(method: method, contentType: type)
        expectEqual(answer.status, 404)
        expectEqual(text(answer), "<UnknownOperationException/>\n")
        expectEqual(header("x-amz-crc32", answer), "3552371480")
    }

    @Test func `an empty response has its known checksum, a request id and the request's type`()
        throws
    {
        let kit = try DynamoDBHarness()
        let answer = kit.service.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.GetItem", contentType: "\(Self.type); charset=utf-8",
                body: Array(#"{"TableName":"tbl","Key":{"pk":{"S":"none"}}}"#.utf8)))
        expectEqual(text(answer), "{}")
        expectEqual(header("x-amz-crc32", answer), "2745614147")
        expectEqual(header("Content-Type", answer), Self.type)
        let id = try #require(header("x-amzn-RequestId", answer))
        expectEqual(id.count, 52)
        #expect(id.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) })
    }

    @Test func `every response has the checksum of its body`() throws {
        let kit = try DynamoDBHarness()
        for (target, body) in [
            ("ListTables", "{}"), ("ListTables", "{"), ("Nothing", "{}"),
            ("GetItem", #"{"TableName":"absent","Key":{}}"#),
            ("DescribeTable", #"{"TableName":"tbl"}"#),
        ] {
            let answer = kit.service.answer(
                DynamoDBRequest(
                    target: "DynamoDB_20120810.\(target)", contentType: Self.type,
                    body: Array(body.utf8)))
            expectEqual(header("x-amz-crc32", answer), String(CRC32.checksum(answer.body)))
        }
    }

    @Test func `a failed condition has its known body and checksum`() throws {
        let kit = try DynamoDBHarness()
        let answer = kit.service.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.PutItem", contentType: Self.type,
                body: Array(
                    (#"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"#
                        + #""ConditionExpression":"attribute_exists(pk)"}"#).utf8)))
        expectEqual(answer.status, 400)
        expectEqual(
            text(answer),
            #"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","#
                + #""message":"The conditional request failed"}"#)
        expectEqual(header("x-amz-crc32", answer), "396270901")
    }

    @Test(arguments: ["", "{", "[]", "7", #"{"TableName":1}"#, #"{"TableName":"tbl","Key":"x"}"#])
    func `a malformed body is a serialization error`(body: String) throws {
        let answer = try answer(target: "DynamoDB_20120810.GetItem", body: body)
        expectEqual(answer.status, 400)
        #expect(
            text(answer).hasPrefix(
                #"{"__type":"com.amazon.coral.service#SerializationException""#))
    }

    @Test(arguments: ["DynamoDB_20120810.Nope", "Other_20120810.GetItem", nil as String?])
    func `an unknown target is an unknown operation`(target: String?) throws {
        let answer = try answer(target: target)
        expectEqual(answer.status, 400)
        expectEqual(
            text(answer), #"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#)
    }

    @Test(arguments: [
        (
            DynamoDBAccessError.missingToken, "MissingAuthenticationTokenException",
            "Request is missing Authentication Token"
        ),
        (
            .unknownKey, "UnrecognizedClientException",
            "The security token included in the request is invalid."
        ),
        (.badSignature("it differs"), "InvalidSignatureException", "it differs"),
    ])
    func `authentication errors come before all others`(
        access: DynamoDBAccessError, type: String, message: String
    ) throws {
        let answer = try answer(body: "{", access: access)
        expectEqual(answer.status, 400)
        expectEqual(
            text(answer), #"{"__type":"com.amazon.coral.service#\#(type)","message":"\#(message)"}"#
        )
    }

    @Test func `a body above 16 MB is too large`() throws {
        let kit = try DynamoDBHarness(createsTables: false)
        let answer = kit.service.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.ListTables", contentType: Self.type,
                body: [UInt8](repeating: 0x20, count: 16 << 20 + 1)))
        expectEqual(answer.status, 413)
    }
}
