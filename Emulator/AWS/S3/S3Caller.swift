internal import AWSSignature
internal import Bytes
internal import Time

/// The caller of a request, with its policy context.
struct S3Caller: Sendable {
    let identity: CallerIdentity
    /// The region, because `CreateBucket` behaves differently in us-east-1.
    let region: String
    private let signed: AuthenticatedCall
    private let request: S3Request
    private let now: Instant

    init(_ signed: AuthenticatedCall, _ request: S3Request, at now: Instant) {
        identity = signed.identity
        region = signed.signature.scope.region
        self.signed = signed
        self.request = request
        self.now = now
    }

    private static let fields = ["prefix", "delimiter", "max-keys"]
    private static let headers = [
        "x-amz-acl", "x-amz-content-sha256", "x-amz-copy-source", "x-amz-metadata-directive",
        "x-amz-server-side-encryption", "x-amz-storage-class", "if-none-match", "if-match",
    ]

    /// The context is built only if a policy needs it.
    private var context: PolicyContext {
        var context = PolicyContext(request.call, at: now)
        identity.describe(in: &context)
        let isPresigned = signed.signature.expiresIn != nil
        context.set("s3:authType", isPresigned ? "REST-QUERY-STRING" : "REST-HEADER")
        context.set("s3:signatureversion", "AWS4-HMAC-SHA256")
        context.set(
            "s3:signatureAge", String((now - signed.signature.signedAt).milliseconds))
        for field in Self.fields { context.set("s3:\(field)", request[field]) }
        for header in Self.headers { context.set("s3:\(header)", request.header(header)) }
        return context
    }

    func may(_ action: String, _ bucket: String?, _ key: String? = nil) -> Bool {
        let path = bucket.map { $0 + (key.map { "/\($0)" } ?? "") } ?? "*"
        return identity.decision(on: action, "arn:aws:s3:::\(path)", in: context) == .allowed
    }

    func require(_ action: String, _ bucket: String?, _ key: String? = nil) throws(S3Failure) {
        guard may(action, bucket, key) else { throw .accessDenied }
    }

    /// All buckets belong to the account of the emulator.
    func checkOwner() throws(S3Failure) {
        guard let owner = request.header("x-amz-expected-bucket-owner") else { return }
        guard owner.utf8.count == 12, owner.utf8.allSatisfy(\.isDigit) else {
            throw S3Failure(
                400, "InvalidBucketOwnerAWSAccountID",
                "The value of the expected bucket owner parameter must be an AWS Account ID... "
                    + "[\(owner)]")
        }
        guard owner.isSame(as: identity.account) else { throw .accessDenied }
    }
}
