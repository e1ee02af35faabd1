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
        if directive != "REPLACE" {
            try checked { () throws(S3Failure) in try CannedACL.check(exchange.request) }
        }
        if directive == "REPLACE" {
            headers = try checked { () throws(S3Failure) in
                try ObjectHeaders.kept(from: exchange.request)
            }
        }
        // A composite checksum does not apply to the copy, which has no parts.
        let algorithm = UploadChecksum.algorithm(of: headers)
        let checksum = algorithm.map { Checksum($0, of: bytes) }
        headers.removeAll(where: ObjectHeaders.isChecksum)
        headers += ObjectHeaders.of(checksum)
        let etag = Hex.encode(BrokenDigest.md5(bytes))
        try put(bytes, exchange, etag: etag, headers: headers, if: condition)
        return Self.copied("CopyObjectResult", etag, checksum, at: exchange.now)
    }

    func uploadPartCopy(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let source = try checked { () throws(S3Failure) in try CopySource(exchange.request) }
        let number = try checked { () throws(S3Failure) in
            try PartNumber.read(exchange.request)
        }
        let range = exchange.request.header("x-amz-copy-source-range")
        let (_, bytes) = try bytes(of: source, exchange, range: range)
        let etag = Hex.encode(BrokenDigest.md5(bytes))
        let checksum = try put(bytes, part: number, exchange, etag: etag, checksum: nil)
        return Self.copied("CopyPartResult", etag, checksum, at: exchange.now)
    }

    private static func copied(
        _ root: String, _ etag: String, _ checksum: Checksum?, at now: Instant
    ) -> S3Response {
        S3Response(document: root) { xml in
            xml.element("LastModified", now.iso8601Milliseconds)
            xml.element("ETag", "\"\(etag)\"")
            if let checksum { xml.element(checksum.algorithm.element, checksum.value) }
        }
    }

    private func bytes(
        of source: CopySource, _ exchange: S3OperationContext, range: String?
    ) throws(S3OperationFailure) -> (StoredObject, [UInt8]) {
        try checked { () throws(S3Failure) in
            try exchange.caller.require("s3:GetObject", source.bucket, source.key)
        }
        let read: (found: Result<(object: StoredObject, range: Range<Int>), S3Failure>, [UInt8])?
        do throws(ObjectStoreFailure) {
            read = try store.bytes { database throws(ObjectStoreFailure) in
                guard let object = try database.object(source.bucket, source.key) else {
                    return nil
                }
                do throws(S3Failure) {
                    let wanted = try CopyRange.read(range, of: object.byteCount)
                    let isLimited = wanted.count > Self.bodyBytesMax
                    return (.success((object, wanted)), object.segments, isLimited ? 0..<0 : wanted)
                } catch {
                    return (.failure(error), [], 0..<0)
                }
            }
        } catch {
            throw .storage(error)
        }
        guard let (result, bytes) = read else {
            try requireBucket(source.bucket)
            throw .refused(.noSuchKey(source.key))
        }
        let found = try checked { () throws(S3Failure) in try result.get() }
        guard found.range.count == bytes.count else {
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
        guard halves.count == 1 || halves[1] == "versionId=null" else {
            throw .notImplemented("CopyObject of a version")
        }
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

/// `x-amz-copy-source-range`: `bytes=first-last`, both within the source.
enum CopyRange {
    static func read(_ text: String?, of byteCount: Int) throws(S3Failure) -> Range<Int> {
        guard let text else { return 0..<byteCount }
        let name = "x-amz-copy-source-range"
        let ends = text.dropFirst("bytes=".count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix("bytes="), ends.count == 2, let first = number(ends[0]),
            let last = number(ends[1]), first <= last
        else {
            throw .invalidArgument(
                "The x-amz-copy-source-range value must be of the form bytes=first-last where "
                    + "first and last are the zero-based offsets of the first and last bytes to "
                    + "copy", name, text)
        }
        guard first < byteCount else {
            throw .invalidRequest("The specified copy range is invalid for the source object size")
        }
        guard last < byteCount else {
            throw .invalidArgument(
                "Range specified is not valid for source object of size: \(byteCount)", name, text)
        }
        return first..<(last + 1)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(text)
    }
}
