/// The supported operations by AWS's names, determined by method, path and subresource.
enum S3Operation: String, Sendable, CaseIterable {
    case listBuckets = "ListBuckets"
    case createBucket = "CreateBucket"
    case headBucket = "HeadBucket"
    case deleteBucket = "DeleteBucket"
    case listObjects = "ListObjects"
    case listObjectsV2 = "ListObjectsV2"
    case listUploads = "ListMultipartUploads"
    case deleteObjects = "DeleteObjects"
    case getObject = "GetObject"
    case headObject = "HeadObject"
    case putObject = "PutObject"
    case copyObject = "CopyObject"
    case deleteObject = "DeleteObject"
    case createUpload = "CreateMultipartUpload"
    case uploadPart = "UploadPart"
    case uploadPartCopy = "UploadPartCopy"
    case listParts = "ListParts"
    case completeUpload = "CompleteMultipartUpload"
    case abortUpload = "AbortMultipartUpload"
    case bucketLocation = "GetBucketLocation"
    case bucketVersioning = "GetBucketVersioning"
    case bucketCORS = "GetBucketCors"
    case putBucketCORS = "PutBucketCors"
    case deleteBucketCORS = "DeleteBucketCors"
    case bucketACL = "GetBucketAcl"
    case putBucketACL = "PutBucketAcl"
    case objectACL = "GetObjectAcl"
    case putObjectACL = "PutObjectAcl"
    case ownershipControls = "GetBucketOwnershipControls"
    case listVersions = "ListObjectVersions"
    case objectAttributes = "GetObjectAttributes"

    static let formUpload = "PostObject, an upload from a browser's form"

    init(_ request: S3Request) throws(S3Failure) {
        let method = request.call.method
        guard request.bucket != nil else {
            guard method == "GET" else { throw .methodNotAllowed }
            self = .listBuckets
            return
        }
        if request.hasFields {
            try Self.checkVersion(request)
            if let operation = try Self.ofSubresource(request) {
                self = operation
                return
            }
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

    /// The IAM action for a version of an object.
    var versionAction: String? {
        switch self {
        case .getObject, .headObject: "s3:GetObjectVersion"
        case .deleteObject: "s3:DeleteObjectVersion"
        case .objectAttributes: "s3:GetObjectVersionAttributes"
        case .objectACL: "s3:GetObjectVersionAcl"
        case .putObjectACL: "s3:PutObjectVersionAcl"
        default: action
        }
    }

    /// The IAM action; DeleteObjects is authorised for each key instead.
    var action: String? {
        switch self {
        case .listBuckets: "s3:ListAllMyBuckets"
        case .headBucket, .listObjects, .listObjectsV2: "s3:ListBucket"
        case .listVersions: "s3:ListBucketVersions"
        case .bucketCORS: "s3:GetBucketCORS"
        case .putBucketCORS, .deleteBucketCORS: "s3:PutBucketCORS"
        case .listUploads: "s3:ListBucketMultipartUploads"
        case .headObject: "s3:GetObject"
        case .copyObject, .createUpload, .uploadPart, .uploadPartCopy, .completeUpload:
            "s3:PutObject"
        case .listParts: "s3:ListMultipartUploadParts"
        case .createBucket, .deleteBucket, .bucketACL, .putBucketACL, .objectACL, .putObjectACL,
            .ownershipControls, .objectAttributes, .bucketLocation, .bucketVersioning, .getObject,
            .putObject, .deleteObject, .abortUpload:
            "s3:\(rawValue)"
        case .deleteObjects: nil
        }
    }
}
