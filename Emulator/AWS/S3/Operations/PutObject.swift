internal import Bytes
internal import Cryptography
internal import HTTP
internal import Time

extension S3Service {
    func putObject(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let payload = try checked { () throws(S3Failure) in try exchange.body.payload() }
        let checksum = try checked { () throws(S3Failure) in
            try exchange.body.checksum(of: payload)
        }
        let kept = try checked { () throws(S3Failure) in
            try ObjectHeaders.kept(from: exchange.request)
        }
        let condition = try checked { () throws(S3Failure) in
            try S3Preconditions.ofWrite(exchange.request)
        }
        let etag = Hex.encode(BrokenDigest.md5(payload.bytes))
        let checksumHeaders = ObjectHeaders.of(checksum)
        try put(
            payload.bytes, exchange, etag: etag, headers: kept + checksumHeaders, if: condition)
        return S3Response(headers: [HTTPHeader("etag", "\"\(etag)\"")] + checksumHeaders)
    }

    /// Stores an object, if the condition holds.
    func put(
        _ bytes: [UInt8], _ exchange: S3OperationContext, etag: String, headers: [HTTPHeader],
        if condition: WriteCondition
    ) throws(S3OperationFailure) {
        let (bucket, key) = (exchange.bucket, exchange.key)
        let outcome: WriteOutcome?
        do throws(ObjectStoreFailure) {
            outcome = try store.write(content: bytes) {
                database, segments throws(ObjectStoreFailure) in
                guard try database.bucketCreatedAt(bucket) != nil else { return (nil, false) }
                let object = StoredObject(
                    key: key, byteCount: bytes.count, etag: etag, modifiedAt: exchange.now,
                    headers: headers, segments: segments)
                let outcome = try database.put(object, in: bucket, if: condition)
                return (outcome, outcome == .done)
            }
        } catch {
            throw .storage(error)
        }
        guard let outcome else { throw .refused(.noSuchBucket(bucket)) }
        try Self.check(outcome, condition, key)
    }

    static func check(
        _ outcome: WriteOutcome, _ condition: WriteCondition, _ key: String
    ) throws(S3OperationFailure) {
        switch outcome {
        case .done: return
        case .missing: throw .refused(.noSuchKey(key))
        case .changedMeanwhile:
            throw .refused(
                S3Failure(
                    409, "ConditionalRequestConflict",
                    "The conditional request cannot succeed due to a conflicting operation against "
                        + "this resource.", ("Condition", "If-Match"), ("Key", key)))
        case .conditionFailed:
            throw .refused(
                .preconditionFailed(condition == .absent ? "If-None-Match" : "If-Match"))
        }
    }

    func deleteObject(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let etag = try checked { () throws(S3Failure) in
            try S3Preconditions.ofDeletion(exchange.request)
        }
        try requireBucket(exchange.bucket)
        let isDone = try write { database throws(ObjectStoreFailure) in
            try database.delete(exchange.bucket, exchange.key, if: etag)
        }
        guard isDone else { throw .refused(.preconditionFailed("If-Match")) }
        return S3Response(status: 204)
    }
}
