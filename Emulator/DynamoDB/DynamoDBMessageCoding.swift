internal import Bytes
internal import EmulatorBase

/// The request headers for compression and CORS.
package struct DynamoDBMessageCoding: Sendable {
    /// `Content-Encoding`
    package var contentEncoding: String?
    /// `Accept-Encoding`
    package var acceptEncoding: String?
    package var origin: String?
    /// `Access-Control-Request-Method` and `Access-Control-Request-Headers`
    package var requestedMethod: String?
    package var requestedHeaders: String?

    package init() {}
}

extension DynamoDBRequest {
    /// Shorter responses are not compressed.
    private static let compressedBytesMin = 4096

    /// Decompresses the body. The size limit applies to the decompressed body.
    package mutating func decode() {
        guard let name = coding.contentEncoding, !name.isSame(as: "identity") else { return }
        guard let coding = ContentCoding(named: name) else {
            bodyError = .unreadable
            return
        }
        do throws(CompressionError) {
            body = try coding.decompress(body, bytesMax: DynamoDBService.bodyBytesMax)
        } catch {
            bodyError = error == .tooLarge ? .tooLarge : .unreadable
        }
    }

    func encode(_ body: inout [UInt8], _ headers: inout [(name: String, value: String)]) {
        guard body.count >= Self.compressedBytesMin, let accepted = coding.acceptEncoding,
            let coding = ContentCoding.preferred(accepted)
        else { return }
        body = coding.compress(body)
        headers.append(("Content-Encoding", coding.rawValue))
    }

    /// Pages of any origin may read the responses: only the signature controls access.
    var corsHeaders: [(name: String, value: String)] {
        var headers = [
            (name: "Access-Control-Allow-Origin", value: "*"),
            (
                "Access-Control-Expose-Headers",
                "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date"
            ),
        ]
        guard method == "OPTIONS" else { return headers }
        headers.append(("Access-Control-Max-Age", "172800"))
        if let method = coding.requestedMethod {
            headers.append(("Access-Control-Allow-Methods", method))
        }
        if let names = coding.requestedHeaders {
            headers.append(("Access-Control-Allow-Headers", names))
        }
        return headers
    }
}
