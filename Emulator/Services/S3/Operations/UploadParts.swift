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
    /// Whether the checksum is of the full object, not a composite of the parts' checksums.
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
        var answered: [HTTPHeader] = []
        if let name = exchange.request.header(UploadChecksum.algorithmHeader) {
            guard let algorithm = ChecksumAlgorithm(rawValue: name.uppercased()) else {
                throw .refused(
                    .invalidRequest(
                        "Checksum algorithm provided is unsupported. Please try again with any of "
                            + "the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"))
            }
            let type = exchange.request.header(UploadChecksum.typeHeader)
            guard type != "FULL_OBJECT" || algorithm.coversWholes else {
                throw .refused(
                    .invalidRequest(
                        "The FULL_OBJECT checksum type cannot be used with the "
                            + "\(algorithm.rawValue.lowercased()) checksum algorithm."))
            }
            headers.append(HTTPHeader(UploadChecksum.algorithmHeader, algorithm.rawValue))
            if let type { headers.append(HTTPHeader(UploadChecksum.typeHeader, type)) }
            if let checksum = UploadChecksum(headers) {
                answered = [
                    HTTPHeader(UploadChecksum.algorithmHeader, algorithm.rawValue),
                    HTTPHeader(UploadChecksum.typeHeader, checksum.type),
                ]
            }
        }
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

    func uploadPart(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let number = try checked { () throws(S3Failure) in
            try PartNumber.read(exchange.request)
        }
        let payload = try checked { () throws(S3Failure) in try exchange.body.payload() }
        let checksum = try checked { () throws(S3Failure) in
            try exchange.body.checksum(of: payload)
        }
        let etag = Hex.encode(BrokenDigest.md5(payload.bytes))
        try put(payload.bytes, part: number, exchange, etag: etag, checksum: checksum)
        let checksumHeader = checksum.map { [HTTPHeader($0.algorithm.header, $0.value)] } ?? []
        return S3Response(headers: [HTTPHeader("etag", "\"\(etag)\"")] + checksumHeader)
    }

    func put(
        _ bytes: [UInt8], part number: Int, _ exchange: S3OperationContext, etag: String,
        checksum: Checksum?
    ) throws(S3OperationFailure) {
        let id = exchange.request["uploadId"] ?? ""
        let isFound: Bool
        do throws(ObjectStoreFailure) {
            isFound = try store.write(content: bytes) {
                database, segments throws(ObjectStoreFailure) in
                guard let upload = try database.upload(exchange.bucket, exchange.key, id) else {
                    return (false, false)
                }
                // If the client sent no checksum of the part, compute the one that the upload
                // needs.
                let wanted = UploadChecksum(upload.headers)?.algorithm
                let part = StoredPart(
                    number: number, byteCount: bytes.count, etag: etag, modifiedAt: exchange.now,
                    checksum: checksum ?? wanted.map { Checksum($0, of: bytes) },
                    segments: segments)
                try database.put(part, of: id)
                return (true, true)
            }
        } catch {
            throw .storage(error)
        }
        guard isFound else { throw .refused(.noSuchUpload(id)) }
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
