internal import Bytes
package import Cryptography
package import HTTP
package import Time

/// The Simple Storage Service: buckets, objects, multipart uploads. Every request's signature is
/// verified, and every request is authorised by the policies.
package struct S3Service: Sendable {
    /// The limit of one request, which is held in memory. AWS accepts 5 GiB; larger objects need a
    /// multipart upload.
    package static let bodyBytesMax = 256 << 20
    /// The limit of one response, which is held in memory.
    package static let answerBytesMax = 2 << 30
    package static let skewMax = Span.minutes(15)

    let store: ObjectStore
    let random: RandomSource
    private let clock: WallClock
    private let authenticator: RequestAuthenticator

    package init(
        _ store: ObjectStore, _ authority: CredentialAuthority, clock: WallClock,
        random: RandomSource
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        authenticator = RequestAuthenticator(authority, service: "s3", skewMax: Self.skewMax)
    }

    package func answer(_ call: S3Call) -> HTTPResponse {
        let id = Hex.encode(random.bytes(8)).uppercased()
        let isPreflight = call.http.method == "OPTIONS"
        let response: HTTPResponse
        do throws(S3Failure) {
            let answer =
                isPreflight
                ? try preflight(call.request.get()) : try perform(call, at: clock.now())
            response = answer.response(requestID: id)
        } catch {
            response = error.response(to: call.http, requestID: id)
        }
        guard !isPreflight, let origin = call.http.header("origin") else { return response }
        return HTTPResponse(
            status: response.status,
            headers: response.headers + crossOriginHeaders(call, origin: origin),
            body: response.body)
    }

    private func perform(_ call: S3Call, at now: Instant) throws(S3Failure) -> S3Response {
        let http = call.http
        guard http.body.count <= Self.bodyBytesMax else { throw .entityTooLarge }
        let request = try call.request.get()
        let isPresigned = request.has("X-Amz-Signature")
        // botocore presigns with version 2 unless `signature_version="s3v4"` is set.
        guard !(request.has("AWSAccessKeyId") && request.has("Signature")) else {
            throw S3Failure(.unknownAlgorithm, isPresigned: false, at: now)
        }
        // Unsigned requests are rejected; a browser's form upload carries its signature in the
        // form.
        guard isPresigned || http.header("authorization") != nil else {
            guard !request.isForm else { throw .notImplemented(S3Operation.formUpload) }
            throw try refusal(of: call, in: request.bucket)
        }
        let kind = try PayloadKind(request, isPresigned: isPresigned)
        let signed: AuthenticatedCall
        do throws(AuthenticationFailure) {
            signed = try authenticator.authenticate(
                http.signable, payloadHash: kind.canonicalHash, at: now)
        } catch {
            throw S3Failure(
                error, isPresigned: isPresigned, lifetime: request["X-Amz-Expires"], at: now)
        }
        let exchange = S3OperationContext(
            request: request, operation: try call.operation.get(),
            caller: S3Caller(signed, request, at: now), now: now,
            body: BodyReader(request: request, kind: kind, signed: signed))
        let hasVersion = request.hasFields && request.has("versionId")
        let operation = exchange.operation
        if let action = hasVersion ? operation.versionAction : operation.action {
            guard exchange.caller.may(action, request.bucket, request.key) else {
                throw try refusal(of: call, in: request.bucket)
            }
        }
        try exchange.caller.checkOwner()
        do throws(S3OperationFailure) {
            return try perform(exchange)
        } catch {
            switch error {
            case .refused(let failure): throw failure
            case .storage(let failure) where failure.isDiskFull:
                throw S3Failure(507, "InsufficientStorage", "The disk is full.")
            case .storage: throw .internalError
            }
        }
    }

    /// The error for a request that is not allowed. The error may reveal that a bucket does not
    /// exist.
    private func refusal(
        of call: S3Call, in bucket: String?
    ) throws(S3Failure) -> S3Failure {
        guard let bucket, try !exists(bucket), (try? call.operation.get()) != .createBucket
        else { return .accessDenied }
        return .noSuchBucket(bucket)
    }

    func exists(_ bucket: String) throws(S3Failure) -> Bool {
        do throws(ObjectStoreFailure) {
            return try store.read { database throws(ObjectStoreFailure) in
                try database.bucketCreatedAt(bucket) != nil
            }
        } catch {
            throw .internalError
        }
    }

    private func perform(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        switch exchange.operation {
        case .listBuckets: try listBuckets(exchange)
        case .createBucket: try createBucket(exchange)
        case .headBucket: try headBucket(exchange)
        case .deleteBucket: try deleteBucket(exchange)
        case .bucketLocation: try bucketLocation(exchange)
        case .bucketVersioning: try bucketVersioning(exchange)
        case .bucketCORS: try bucketCORS(exchange)
        case .putBucketCORS: try putBucketCORS(exchange)
        case .deleteBucketCORS: try deleteBucketCORS(exchange)
        case .bucketACL: try bucketACL(exchange)
        case .putBucketACL: try putBucketACL(exchange)
        case .objectACL: try objectACL(exchange)
        case .putObjectACL: try putObjectACL(exchange)
        case .ownershipControls: try ownershipControls(exchange)
        case .listVersions: try listVersions(exchange)
        case .objectAttributes: try objectAttributes(exchange)
        case .listObjects: try listObjects(exchange, version: .one)
        case .listObjectsV2: try listObjects(exchange, version: .two)
        case .listUploads: try listUploads(exchange)
        case .deleteObjects: try deleteObjects(exchange)
        case .getObject: try getObject(exchange)
        case .headObject: try headObject(exchange)
        case .putObject: try putObject(exchange)
        case .copyObject: try copyObject(exchange)
        case .deleteObject: try deleteObject(exchange)
        case .createUpload: try createUpload(exchange)
        case .uploadPart: try uploadPart(exchange)
        case .uploadPartCopy: try uploadPartCopy(exchange)
        case .listParts: try listParts(exchange)
        case .completeUpload: try completeUpload(exchange)
        case .abortUpload: try abortUpload(exchange)
        }
    }
}

/// One request in progress. This is a class, because it is large and is passed on often.
final class S3OperationContext: Sendable {
    let request: S3Request
    let operation: S3Operation
    let caller: S3Caller
    let now: Instant
    let body: BodyReader

    init(
        request: S3Request, operation: S3Operation, caller: S3Caller, now: Instant, body: BodyReader
    ) {
        self.request = request
        self.operation = operation
        self.caller = caller
        self.now = now
        self.body = body
    }

    /// The bucket's name. Use it and `key` only in operations that require a bucket or a key.
    var bucket: String { request.bucket ?? "" }
    var key: String { request.key ?? "" }
}

/// Why an operation failed: an S3 error or a storage error.
enum S3OperationFailure: Error {
    case refused(S3Failure)
    case storage(ObjectStoreFailure)
}

extension S3Service {
    /// Access to the store, with its errors mapped.
    func read<Result: Sendable>(
        _ body: (ObjectDatabase) throws(ObjectStoreFailure) -> Result
    ) throws(S3OperationFailure) -> Result {
        do throws(ObjectStoreFailure) { return try store.read(body) } catch {
            throw .storage(error)
        }
    }

    func write<Result: Sendable>(
        _ body: (ObjectDatabase) throws(ObjectStoreFailure) -> Result
    ) throws(S3OperationFailure) -> Result {
        do throws(ObjectStoreFailure) { return try store.write(body) } catch {
            throw .storage(error)
        }
    }

    /// Maps errors of code that does not use the store.
    func checked<Result>(_ body: () throws(S3Failure) -> Result) throws(S3OperationFailure)
        -> Result
    {
        do throws(S3Failure) { return try body() } catch { throw .refused(error) }
    }

    func requireBucket(_ name: String) throws(S3OperationFailure) {
        let created = try read { database throws(ObjectStoreFailure) in
            try database.bucketCreatedAt(name)
        }
        guard created != nil else { throw .refused(.noSuchBucket(name)) }
    }
}
