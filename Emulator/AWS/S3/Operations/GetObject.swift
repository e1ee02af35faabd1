internal import Bytes
internal import HTTP
internal import Time

extension S3Service {
    func headObject(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let found = try read { database throws(ObjectStoreFailure) in
            try Self.find(exchange, in: database)
        }
        var answer = try found.answer(exchange)
        answer.contentLength = found.range.count
        return answer
    }

    func getObject(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let read: (found: Found, bytes: [UInt8])?
        do throws(ObjectStoreFailure) {
            read = try store.bytes { database throws(ObjectStoreFailure) in
                let found = try Self.find(exchange, in: database)
                let range = found.range
                guard case .object(let object, _) = found, range.count <= Self.answerBytesMax
                else { return (found, [], 0..<0) }
                return (found, object.segments, range)
            }
        } catch {
            throw .storage(error)
        }
        guard let read else { throw .refused(.internalError) }
        guard read.found.range.count == read.bytes.count else {
            throw .refused(.invalidRequest("A response has at most \(Self.answerBytesMax) bytes."))
        }
        var answer = try read.found.answer(exchange)
        answer.body = read.bytes
        return answer
    }

    /// The result of looking up the object.
    private enum Found: Sendable {
        case object(StoredObject, ObjectSelection)
        case notModified(StoredObject)
        case refused(S3Failure)

        /// The range of the body; empty if there is no body to send.
        var range: Range<Int> {
            if case .object(let object, let selection) = self {
                selection.range(of: object)
            } else {
                0..<0
            }
        }

        func answer(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
            switch self {
            case .refused(let failure): throw .refused(failure)
            case .notModified(let object):
                return S3Response(
                    status: 304, headers: S3Service.identity(of: object, exchange.request))
            case .object(let object, let selection):
                return S3Response(
                    status: selection.isWhole ? 200 : 206,
                    headers: S3Service.headers(of: object, exchange.request, selection))
            }
        }
    }

    private static func find(
        _ exchange: S3OperationContext, in database: ObjectDatabase
    ) throws(ObjectStoreFailure) -> Found {
        let request = exchange.request
        guard let object = try database.object(exchange.bucket, exchange.key) else {
            return .refused(try missing(exchange, in: database))
        }
        switch S3Preconditions(request).judge(object) {
        case .failed(let condition): return .refused(.preconditionFailed(condition))
        case .notModified: return .notModified(object)
        case .go: break
        }
        do throws(S3Failure) {
            return .object(object, try ObjectSelection(request, of: object))
        } catch {
            return .refused(error)
        }
    }

    /// The error if the object does not exist.
    private static func missing(
        _ exchange: S3OperationContext, in database: ObjectDatabase
    ) throws(ObjectStoreFailure) -> S3Failure {
        guard try database.bucketCreatedAt(exchange.bucket) != nil else {
            return .noSuchBucket(exchange.bucket)
        }
        // Without ListBucket permission a missing key is 403, not 404.
        let mayList = exchange.caller.may("s3:ListBucket", exchange.bucket)
        return mayList ? .noSuchKey(exchange.key) : .accessDenied
    }

    /// The object for operations that do not read its content.
    func object(_ exchange: S3OperationContext) throws(S3OperationFailure) -> StoredObject {
        let found: Result<StoredObject, S3Failure> = try read {
            database throws(ObjectStoreFailure) in
            guard let object = try database.object(exchange.bucket, exchange.key) else {
                return .failure(try Self.missing(exchange, in: database))
            }
            return .success(object)
        }
        return try checked { () throws(S3Failure) in try found.get() }
    }

    private static func identity(of object: StoredObject, _ request: S3Request) -> [HTTPHeader] {
        [
            HTTPHeader("etag", "\"\(object.etag)\""),
            HTTPHeader("last-modified", object.modifiedAt.httpDate),
            HTTPHeader("accept-ranges", "bytes"),
        ]
    }

    /// Response headers that a signed request may override.
    private static let overrides = [
        ("response-content-type", "content-type"), ("response-cache-control", "cache-control"),
        ("response-content-disposition", "content-disposition"),
        ("response-content-encoding", "content-encoding"),
        ("response-content-language", "content-language"), ("response-expires", "expires"),
    ]

    private static func headers(
        of object: StoredObject, _ request: S3Request, _ selection: ObjectSelection
    ) -> [HTTPHeader] {
        var headers = identity(of: object, request)
        headers += object.headers.filter { !ObjectHeaders.isChecksum($0) }
        if !selection.isWhole { headers += selection.headers(of: object) }
        if request.header("x-amz-checksum-mode") == "ENABLED" {
            headers += selection.checksums(of: object)
        }
        for (field, name) in overrides {
            guard let value = request[field],
                !value.utf8.contains(where: \.isControl)
            else { continue }
            headers.removeAll { $0.name == name }
            headers.append(HTTPHeader(name, value))
        }
        return headers
    }
}
