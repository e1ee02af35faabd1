internal import Bytes
internal import Cryptography
internal import HTTP
internal import Time
internal import XML

/// The checksum settings of a multipart upload, stored with it until it is complete.
struct UploadChecksum {
    static let algorithmHeader = "x-amz-checksum-algorithm"
    static let typeHeader = "x-amz-checksum-type"

    let algorithm: ChecksumAlgorithm
    /// Whether the checksum covers the full object, and is not a composite of the parts' checksums.
    let isFull: Bool

    /// nil if the upload has no checksum.
    init?(_ headers: [HTTPHeader]) {
        func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        guard let algorithm = value(Self.algorithmHeader).flatMap(ChecksumAlgorithm.init(rawValue:))
        else { return nil }
        self.algorithm = algorithm
        let type = value(Self.typeHeader)
        // CRC64NVME only supports full-object checksums.
        isFull = type == "FULL_OBJECT" || algorithm == .crc64NVMe
    }

    /// The algorithm of a checksum among headers.
    static func algorithm(of headers: [HTTPHeader]) -> ChecksumAlgorithm? {
        ChecksumAlgorithm.allCases.first { headers.value($0.header) != nil }
    }

    var type: String { isFull ? "FULL_OBJECT" : "COMPOSITE" }
}

enum PartNumber {
    static let range = 1...10_000

    static func read(_ request: S3Request) throws(S3Failure) -> Int {
        let text = request["partNumber"] ?? ""
        guard let number = Int(text), range.contains(number) else {
            throw .invalidArgument(
                "Part number must be an integer between 1 and 10000, inclusive", "partNumber",
                text)
        }
        return number
    }
}

extension S3Service {
    func createUpload(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        var headers = try checked { () throws(S3Failure) in
            try ObjectHeaders.kept(from: exchange.request)
        }
        let answered = try checked { () throws(S3Failure) in
            try Self.checksumSettings(exchange.request)
        }
        headers += answered
        try requireBucket(exchange.bucket)
        let id = Hex.encode(random.bytes(24))
        let kept = headers
        try write { database throws(ObjectStoreFailure) in
            try database.run(
                .addUpload, .bytes(Array(exchange.bucket.utf8)), .bytes(Array(exchange.key.utf8)),
                .bytes(Array(id.utf8)), .integer(exchange.now.milliseconds),
                .bytes(RowCodec.encode(kept)))
        }
        return S3Response(document: "InitiateMultipartUploadResult", headers: answered) { xml in
            xml.element("Bucket", exchange.bucket)
            xml.element("Key", exchange.key)
            xml.element("UploadId", id)
        }
    }

    private static func checksumSettings(_ request: S3Request) throws(S3Failure) -> [HTTPHeader] {
        let type = request.header(UploadChecksum.typeHeader)
        guard let name = request.header(UploadChecksum.algorithmHeader) else {
            guard type == nil else {
                throw .invalidRequest(
                    "The x-amz-checksum-type header can only be used with the "
                        + "x-amz-checksum-algorithm header.")
            }
            return []
        }
        guard let algorithm = ChecksumAlgorithm(rawValue: name.uppercased()) else {
            throw .invalidRequest(
                "Checksum algorithm provided is unsupported. Please try again with any of "
                    + "the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]")
        }
        guard ["COMPOSITE", "FULL_OBJECT", nil].contains(type) else {
            throw .invalidRequest("Value for x-amz-checksum-type header is invalid.")
        }
        let isPossible =
            type == nil || (type == "FULL_OBJECT" ? algorithm.coversWholes : algorithm.isComposable)
        guard isPossible else {
            throw .invalidRequest(
                "The \(type ?? "") checksum type cannot be used with the "
                    + "\(algorithm.rawValue.lowercased()) checksum algorithm.")
        }
        var headers = [HTTPHeader(UploadChecksum.algorithmHeader, algorithm.rawValue)]
        if let type { headers.append(HTTPHeader(UploadChecksum.typeHeader, type)) }
        guard type == nil, let checksum = UploadChecksum(headers) else { return headers }
        return headers + [HTTPHeader(UploadChecksum.typeHeader, checksum.type)]
    }

    func uploadPart(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let number = try checked { () throws(S3Failure) in
            try PartNumber.read(exchange.request)
        }
        let payload = try checked { () throws(S3Failure) in try exchange.body.payload() }
        let checksum = try checked { () throws(S3Failure) in
            try exchange.body.checksum(of: payload)
        }
        let etag = Hex.encode(BrokenDigest.md5(payload.bytes))
        let kept = try put(payload.bytes, part: number, exchange, etag: etag, checksum: checksum)
        let shown = checksum ?? kept
        let checksumHeader = shown.map { [HTTPHeader($0.algorithm.header, $0.value)] } ?? []
        return S3Response(headers: [HTTPHeader("etag", "\"\(etag)\"")] + checksumHeader)
    }

    /// Returns the checksum that is kept with the part: only a checksum with the upload's
    /// algorithm.
    @discardableResult
    func put(
        _ bytes: [UInt8], part number: Int, _ exchange: S3OperationContext, etag: String,
        checksum: Checksum?
    ) throws(S3OperationFailure) -> Checksum? {
        let id = exchange.request["uploadId"] ?? ""
        let result: Result<Checksum?, S3Failure>
        do throws(ObjectStoreFailure) {
            result = try store.write(content: bytes) {
                database, segments throws(ObjectStoreFailure) in
                guard let upload = try database.upload(exchange.bucket, exchange.key, id) else {
                    return (.failure(.noSuchUpload(id)), false)
                }
                let wanted = UploadChecksum(upload.headers)?.algorithm
                if let wanted, let checksum, checksum.algorithm != wanted {
                    return (.failure(.otherChecksum(checksum.algorithm, than: wanted)), false)
                }
                // The checksum is computed if the client sent none.
                let kept = wanted.map { checksum ?? Checksum($0, of: bytes) }
                let part = StoredPart(
                    number: number, byteCount: bytes.count, etag: etag, modifiedAt: exchange.now,
                    checksum: kept, segments: segments)
                try database.put(part, of: id)
                return (.success(kept), true)
            }
        } catch {
            throw .storage(error)
        }
        return try checked { () throws(S3Failure) in try result.get() }
    }

    func abortUpload(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let id = exchange.request["uploadId"] ?? ""
        let isFound = try write { database throws(ObjectStoreFailure) in
            guard let upload = try database.upload(exchange.bucket, exchange.key, id) else {
                return false
            }
            let parts = try database.parts(of: id, after: 0, rowsMax: PartNumber.range.count)
            try database.end(upload, in: exchange.bucket, releasing: parts)
            return true
        }
        guard isFound else { throw .refused(.noSuchUpload(id)) }
        return S3Response(status: 204)
    }
}

extension S3Failure {
    fileprivate static func otherChecksum(
        _ actual: ChecksumAlgorithm, than wanted: ChecksumAlgorithm
    ) -> S3Failure {
        .invalidRequest(
            "Checksum Type mismatch occurred, expected checksum Type: "
                + "\(wanted.rawValue.lowercased()), actual checksum Type: "
                + actual.rawValue.lowercased())
    }
}
