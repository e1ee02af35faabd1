import EmulatorBase
import EmulatorDynamoDB
import TestSupport
import Testing

@Suite("DynamoDB compressed messages and other origins")
struct MessageCodingTests {
    private let kit: DynamoDBHarness
    private let long = Array(String(repeating: "long ", count: 2000).utf8)

    init() throws {
        kit = try DynamoDBHarness()
        try kit.put(
            #"{"pk":{"S":"a"},"x":{"S":"\#(String(repeating: "x", count: 5000))"}}"#)
    }

    private func answer(
        _ body: [UInt8], operation: String = "GetItem",
        _ set: (inout DynamoDBMessageCoding) -> Void
    ) -> DynamoDBResponse {
        var call = DynamoDBRequest(
            target: "DynamoDB_20120810.\(operation)", contentType: "application/x-amz-json-1.0",
            body: body)
        set(&call.coding)
        call.decode()
        return kit.service.answer(call)
    }

    private static let get = Array(#"{"TableName":"tbl","Key":{"pk":{"S":"a"}}}"#.utf8)

    @Test(arguments: ContentCoding.allCases)
    func `compressed data decompresses to the original`(coding: ContentCoding) throws {
        for bytes in [[], [7], long] {
            let packed = coding.compress(bytes)
            try expectEqual(coding.decompress(packed, bytesMax: bytes.count), bytes)
        }
        #expect(coding.compress(long).count < 200)
    }

    @Test(arguments: ContentCoding.allCases)
    func `damaged and too large bodies are refused`(coding: ContentCoding) {
        let packed = coding.compress(long)
        for damaged in [[], Array(packed.dropLast()), long] {
            #expect(throws: CompressionError.damaged) {
                try coding.decompress(damaged, bytesMax: 1 << 20)
            }
        }
        #expect(throws: CompressionError.tooLarge) {
            try coding.decompress(packed, bytesMax: long.count - 1)
        }
    }

    @Test func `a gzip body may have several members`() throws {
        let packed = ContentCoding.gzip.compress(long) + ContentCoding.gzip.compress([7])
        try expectEqual(ContentCoding.gzip.decompress(packed, bytesMax: 1 << 20), long + [7])
    }

    @Test(arguments: [
        ("gzip", ContentCoding.gzip), ("br, deflate, gzip", .deflate), ("GZIP;q=0.5", .gzip),
        ("gzip;q=0.2, deflate;q=0.5", .deflate), ("*", .gzip), ("*, gzip;q=0.5", .deflate),
        ("gzip;q=7, deflate", .gzip), ("identity", nil), ("gzip;q=0", nil), ("", nil),
        ("gzip br", nil), ("*;q=0", nil),
    ])
    func `the client's preferred coding is used`(accepted: String, expected: ContentCoding?) {
        expectEqual(ContentCoding.preferred(accepted), expected)
    }

    @Test func `a compressed request is accepted`() {
        let answer = answer(ContentCoding.gzip.compress(Self.get)) { $0.contentEncoding = "gzip" }
        expectEqual(answer.status, 200)
        #expect(answer.body.count > 5000)
    }

    @Test(arguments: ["gzip", "garbage"])
    func `an unreadable request fails`(encoding: String) {
        let answer = answer(Self.get) { $0.contentEncoding = encoding }
        expectEqual(answer.status, 500)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("InternalFailure"))
    }

    @Test func `a request that decompresses to over the limit is refused`() {
        let body = ContentCoding.gzip.compress([UInt8](repeating: 0x20, count: 17 << 20))
        expectEqual(answer(body) { $0.contentEncoding = "gzip" }.status, 413)
    }

    @Test func `a long response is compressed if the client accepts it`() throws {
        let answer = answer(Self.get) { $0.acceptEncoding = "gzip" }
        #expect(answer.headers.contains { $0 == ("Content-Encoding", "gzip") })
        let body = try ContentCoding.gzip.decompress(answer.body, bytesMax: 1 << 20)
        expectEqual(body, self.answer(Self.get) { _ in }.body)
        let short = self.answer([0x7B, 0x7D], operation: "ListTables") {
            $0.acceptEncoding = "gzip"
        }
        #expect(!short.headers.contains { $0.name == "Content-Encoding" })
    }

    @Test func `pages of other origins may read responses`() {
        let answer = answer(Self.get) { $0.origin = "https://example.com" }
        #expect(answer.headers.contains { $0 == ("Access-Control-Allow-Origin", "*") })
        #expect(!answer.headers.contains { $0.name == "Access-Control-Max-Age" })
        var preflight = DynamoDBRequest(
            method: "OPTIONS", target: nil, contentType: nil, body: [])
        preflight.coding.origin = "https://example.com"
        preflight.coding.requestedMethod = "POST"
        preflight.coding.requestedHeaders = "x-amz-target"
        let allowed = kit.service.answer(preflight)
        expectEqual(allowed.status, 200)
        #expect(allowed.headers.contains { $0 == ("Access-Control-Allow-Methods", "POST") })
        #expect(allowed.headers.contains { $0 == ("Access-Control-Allow-Headers", "x-amz-target") })
        #expect(allowed.headers.contains { $0.name == "Access-Control-Max-Age" })
    }
}
