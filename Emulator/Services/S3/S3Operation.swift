internal import EmulatorIAM

/// The supported operations, determined by method, path and subresource.
enum S3Operation: Sendable, Equatable {
    case listBuckets
    case createBucket, headBucket, deleteBucket, bucketLocation, bucketVersioning
    case listObjects, listObjectsV2, listUploads, deleteObjects
    case getObject, headObject, putObject, copyObject, deleteObject
    case createUpload, uploadPart, uploadPartCopy, listParts, completeUpload, abortUpload

    /// Subresources that are not supported; the error contains the operation's name, which is
    /// derived from them.
    private static let refused: [(field: String, name: String)] = [
        ("accelerate", "AccelerateConfiguration"), ("acl", "Acl"),
        ("analytics", "AnalyticsConfiguration"), ("attributes", "Attributes"), ("cors", "Cors"),
        ("encryption", "Encryption"), ("intelligent-tiering", "IntelligentTieringConfiguration"),
        ("inventory", "InventoryConfiguration"), ("legal-hold", "LegalHold"),
        ("lifecycle", "LifecycleConfiguration"), ("logging", "Logging"),
        ("metrics", "MetricsConfiguration"), ("notification", "NotificationConfiguration"),
        ("object-lock", "LockConfiguration"), ("ownershipControls", "OwnershipControls"),
        ("policy", "Policy"), ("policyStatus", "PolicyStatus"),
        ("publicAccessBlock", "PublicAccessBlock"), ("replication", "Replication"),
        ("requestPayment", "RequestPayment"), ("restore", "Restore"), ("retention", "Retention"),
        ("select", "Select"), ("session", "Session"), ("tagging", "Tagging"),
        ("torrent", "Torrent"), ("versions", "Versions"), ("versionId", "Version"),
        ("website", "Website"), ("append", "Append"), ("renameObject", "Rename"),
    ]

    static let formUpload = "PostObject, an upload from a browser's form"

    init(_ request: S3Request) throws(S3Failure) {
        let method = request.call.method
        let subject = request.key != nil ? "Object" : "Bucket"
        for refused in request.hasFields ? Self.refused : []
        where request.has(refused.field) {
            let verb = ["GET": "Get", "PUT": "Put", "DELETE": "Delete", "HEAD": "Head"][method]
            throw .notImplemented("\(verb ?? "Post")\(subject)\(refused.name)")
        }
        guard request.bucket != nil else {
            guard method == "GET" else { throw .methodNotAllowed }
            self = .listBuckets
            return
        }
        self =
            request.key == nil
            ? try Self.ofBucket(request, method) : try Self.ofObject(request, method)
    }

    private static func ofBucket(
        _ request: S3Request, _ method: String
    ) throws(S3Failure) -> S3Operation {
        switch method {
        case "HEAD": return .headBucket
        case "DELETE": return .deleteBucket
        case "PUT":
            if request.has("versioning") { throw .notImplemented("PutBucketVersioning") }
            return .createBucket
        case "GET":
            if request.has("location") { return .bucketLocation }
            if request.has("versioning") { return .bucketVersioning }
            if request.has("uploads") { return .listUploads }
            return request["list-type"] == "2" ? .listObjectsV2 : .listObjects
        case "POST":
            if request.has("delete") { return .deleteObjects }
            throw .notImplemented(formUpload)
        default: throw .methodNotAllowed
        }
    }

    private static func ofObject(
        _ request: S3Request, _ method: String
    ) throws(S3Failure) -> S3Operation {
        let isCopy = request.header("x-amz-copy-source") != nil
        let isUpload = request.has("uploadId")
        switch method {
        case "GET", "HEAD":
            if method == "GET", isUpload { return .listParts }
            if request.has("partNumber") { throw .notImplemented("GetObject by partNumber") }
            return method == "GET" ? .getObject : .headObject
        case "PUT":
            if isUpload { return isCopy ? .uploadPartCopy : .uploadPart }
            return isCopy ? .copyObject : .putObject
        case "DELETE": return isUpload ? .abortUpload : .deleteObject
        case "POST":
            if request.has("uploads") { return .createUpload }
            if isUpload { return .completeUpload }
            throw .methodNotAllowed
        default: throw .methodNotAllowed
        }
    }

    /// The IAM action; DeleteObjects is authorised for each key instead.
    var action: String? {
        switch self {
        case .listBuckets: "s3:ListAllMyBuckets"
        case .createBucket: "s3:CreateBucket"
        case .headBucket, .listObjects, .listObjectsV2: "s3:ListBucket"
        case .deleteBucket: "s3:DeleteBucket"
        case .bucketLocation: "s3:GetBucketLocation"
        case .bucketVersioning: "s3:GetBucketVersioning"
        case .listUploads: "s3:ListBucketMultipartUploads"
        case .getObject, .headObject: "s3:GetObject"
        case .putObject, .copyObject, .createUpload, .uploadPart, .uploadPartCopy,
            .completeUpload:
            "s3:PutObject"
        case .deleteObject: "s3:DeleteObject"
        case .listParts: "s3:ListMultipartUploadParts"
        case .abortUpload: "s3:AbortMultipartUpload"
        case .deleteObjects: nil
        }
    }
}
