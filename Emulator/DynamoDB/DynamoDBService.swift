internal import Bytes
package import Cryptography
internal import JSON
internal import Synchronization
package import Time

/// DynamoDB's JSON 1.0 protocol with its own store: synchronous, thread-safe, and independent of
/// the HTTP server. An acknowledged write survives `kill -9`.
package final class DynamoDBService: Sendable {
    static let bodyBytesMax = 16 << 20
    private static let limits = JSONLimits(
        bytesMax: bodyBytesMax, depthMax: 256, membersMax: nil)

    let clock: WallClock
    let random: RandomSource
    let region: String
    let account: String
    private let tables: Mutex<Tables>

    package init(
        _ location: StorageLocation, clock: WallClock, random: RandomSource,
        region: String = "us-east-1", account: String = "000000000000"
    ) throws(DynamoDBError) {
        self.clock = clock
        self.random = random
        self.region = region
        self.account = account
        tables = Mutex(try Tables(location))
    }

    /// Gives one request at a time exclusive access to the tables.
    ///
    /// - Parameter origin: the request that makes the writes.
    func withTables<Result: Sendable>(
        from origin: WriteOrigin? = nil, _ body: (inout Tables) throws(DynamoDBError) -> Result
    ) throws(DynamoDBError) -> Result {
        try tables.withLock { tables throws(DynamoDBError) in
            tables.origin = origin
            return try body(&tables)
        }
    }

    package func answer(_ call: DynamoDBRequest) -> DynamoDBResponse {
        guard call.method == "POST" else { return answerWithoutOperation(call) }
        guard let type = Self.contentType(call.contentType) else { return unknownPage(call) }
        guard call.body.count <= Self.bodyBytesMax, call.bodyError != .tooLarge else {
            return answer(call, status: 413, type, [])
        }
        if let access = call.access { return answer(call, DynamoDBErrorBody(access), type) }
        guard call.bodyError == nil else { return answer(call, .internalFailure, type) }
        do throws(DynamoDBError) {
            guard let operation = call.operation else {
                throw .unknownOperation(Self.partiQL[call.action])
            }
            let request = try Self.parse(call.body)
            return answer(call, status: 200, type, try perform(operation, request, call))
        } catch {
            return answer(call, DynamoDBErrorBody(error), type)
        }
    }

    private func answerWithoutOperation(_ call: DynamoDBRequest) -> DynamoDBResponse {
        switch call.method {
        case "GET":
            let name = call.host ?? "dynamodb.\(region).amazonaws.com"
            return answer(call, status: 200, "text/plain", Array("healthy: \(name) ".utf8))
        case "OPTIONS": return answer(call, status: 200, nil, [])
        default: return unknownPage(call)
        }
    }

    static func parse(_ body: [UInt8]) throws(DynamoDBError) -> JSONObject {
        let json: JSON
        do throws(JSONFailure) {
            json = try JSON.parse(body, limits: limits)
        } catch {
            throw .serialization(nil)
        }
        return try WireReader.object(json)
    }

    /// The response's content type: the request's, if the service accepts it.
    private static func contentType(_ header: String?) -> String? {
        guard let header else { return nil }
        if header.isSame(as: usualType) { return usualType }
        let type = header.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        return [usualType, "application/json"].first { type.elementsEqual($0.utf8) }
    }

    /// Messages for the PartiQL operations of AWS, which the emulator does not have.
    private static let partiQL = Dictionary(
        uniqueKeysWithValues: ["ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"]
            .map { ($0, "The emulator has no PartiQL, so no \($0).") })

    private static let usualType = "application/x-amz-json-1.0"

    private func unknownPage(_ call: DynamoDBRequest) -> DynamoDBResponse {
        answer(call, status: 404, nil, Array("<UnknownOperationException/>\n".utf8))
    }

    private func answer(
        _ call: DynamoDBRequest, _ error: DynamoDBErrorBody, _ type: String
    ) -> DynamoDBResponse {
        answer(call, status: error.status, type, error.bytes)
    }

    private func answer(
        _ call: DynamoDBRequest, status: Int, _ type: String?, _ body: [UInt8]
    ) -> DynamoDBResponse {
        var body = body
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(4)
        headers.append(("Server", "Server"))
        headers.append(("x-amzn-RequestId", requestID()))
        call.encode(&body, &headers)
        headers.append(("x-amz-crc32", String(CRC32.checksum(body))))
        if let type { headers.append(("Content-Type", type)) }
        if call.coding.origin != nil { headers += call.corsHeaders }
        return DynamoDBResponse(status: status, headers: headers, body: body)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    /// 52 characters of A-Z and 0-9.
    private func requestID() -> String {
        let characters = random.bytes(52).map { Self.alphabet[Int($0) % Self.alphabet.count] }
        return String(decoding: characters, as: UTF8.self)
    }
}
