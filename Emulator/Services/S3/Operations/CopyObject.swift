internal import Bytes
internal import Cryptography
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func copyObject(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let source = try checked { () throws(S3Failure) in try CopySource(exchange.request) }
        let directive = exchange.request.header("x-amz-metadata-directive") ?? "COPY"
        guard ["COPY", "REPLACE"].contains(directive) else {
            throw .refused(
                .invalidArgument(
                    "Unknown metadata directive.", "x-amz-metadata-directive", directive))
        }
        let isSame =
            source.bucket.isSame(as: exchange.bucket) && source.key.isSame(as: exchange.key)
        guard !isSame || directive == "REPLACE" else {
            throw .refused(
                .invalidRequest(
                    "This copy request is illegal because it is trying to copy an object to itself "
                        + "without changing the object's metadata, storage class, website redirect "
                        + "location or encryption attributes."))
        }
        let condition = try checked { () throws(S3Failure) in
            try S3Preconditions.ofWrite(exchange.request)
        }
        let (object, bytes) = try bytes(of: source, exchange, range: nil)
        var headers = object.headers
        if directive == "REPLACE" {
            headers = try checked { () throws(S3Failure) in
                try ObjectHeaders.kept(from: exchange.request)
            }
        }
        // A composite checksum does not apply to the copy, which has no parts.
        let algorithm = headers.compactMap { header in
            ChecksumAlgorithm.allCases.first { $0.header == header.name }
        }.first
        headers.removeAll(where: ObjectHeaders.isChecksum)
        headers += ObjectHeaders.of(algorithm.map { Checksum($0, of: bytes) })
        let etag = Hex.encode(BrokenDigest.md5(bytes))
        try put(bytes, exchange, etag: etag, headers: headers, if: condition)
        return Self.copied("CopyObjectResult", etag, at: exchange.now)
    }

    func uploadPartCopy(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let source = try checked { () throws(S3Failure) in try CopySource(exchange.request) }
        let number = try checked { () throws(S3Failure) in
            try PartNumber.read(exchange.request)
        }
        let range = exchange.request.header("x-amz-copy-source-range")
        let (_, bytes) = try bytes(of: source, exchange, range: range)
        let etag = Hex.encode(BrokenDigest.md5(bytes))
        try put(bytes, part: number, exchange, etag: etag, checksum: nil)
        return Self.copied("CopyPartResult", etag, at: exchange.now)
    }

    private static func copied(_ root: String, _ etag: String, at now: Instant) -> S3Response {
        S3Response(document: root) { xml in
            xml.element("LastModified", now.iso8601Milliseconds)
            xml.element("ETag", "\"\(etag)\"")
        }
    }

    private func bytes(
        of source: CopySource, _ exchange: S3OperationContext, range: String?
    ) throws(S3OperationFailure) -> (StoredObject, [UInt8]) {
        try checked { () throws(S3Failure) in
            try exchange.caller.require("s3:GetObject", source.bucket, source.key)
        }
        let read: (found: (object: StoredObject, range: Range<Int>), bytes: [UInt8])?
        do throws(ObjectStoreFailure) {
            read = try store.bytes { database throws(ObjectStoreFailure) in
                guard let object = try database.object(source.bucket, source.key) else {
                    return nil
                }
                let wanted: Range<Int>
                switch ByteRange(range, of: object.byteCount) {
                case .whole: wanted = 0..<object.byteCount
                case .part(let part): wanted = part
                case .unsatisfiable: wanted = 0..<0
                }
                let isLimited = wanted.count > Self.bodyBytesMax
                return ((object, wanted), object.segments, isLimited ? 0..<0 : wanted)
            }
        } catch {
            throw .storage(error)
        }
        guard let (found, bytes) = read else {
            try requireBucket(source.bucket)
            throw .refused(.noSuchKey(source.key))
        }
        guard found.range.count == bytes.count, range == nil || !bytes.isEmpty else {
            throw .refused(
                .invalidRequest(
                    "The specified copy source is larger than the maximum allowable size for a "
                        + "copy source: \(Self.bodyBytesMax)"))
        }
        switch S3Preconditions(exchange.request, prefix: "x-amz-copy-source-").judge(found.object) {
        case .go: return (found.object, bytes)
        case .notModified: throw .refused(.preconditionFailed("x-amz-copy-source-If-None-Match"))
        case .failed(let name): throw .refused(.preconditionFailed("x-amz-copy-source-\(name)"))
        }
    }
}

/// `x-amz-copy-source`: `/bucket/key`, percent-encoded, the first slash optional.
struct CopySource {
    let bucket: String
    let key: String

    init(_ request: S3Request) throws(S3Failure) {
        let text = request.header("x-amz-copy-source") ?? ""
        let invalid = S3Failure.invalidArgument(
            "Copy Source must mention the source bucket and key: sourcebucket/sourcekey",
            "x-amz-copy-source", text)
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 1 else { throw .notImplemented("CopyObject of a version") }
        guard let decoded = PercentEncoding.decode(halves[0], plusIsSpace: false) else {
            throw invalid
        }
        let hasLead = decoded.utf8.first == UInt8(ascii: "/")
        let path = Substring(decoded.utf8.dropFirst(hasLead ? 1 : 0))
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { throw invalid }
        bucket = String(path[..<slash])
        key = String(path[path.utf8.index(after: slash)...])
        guard !bucket.isEmpty, !key.isEmpty else { throw invalid }
    }
}
