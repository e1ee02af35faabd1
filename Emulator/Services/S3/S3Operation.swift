internal import EmulatorIAM

/// The supported operations, determined by method, path and subresource.
enum S3Operation: Sendable, Equatable {
    case listBuckets
    case createBucket, headBucket, deleteBucket, bucketLocation, bucketVersioning
    case bucketCORS, putBucketCORS, deleteBucketCORS
    case bucketACL, putBucketACL, objectACL, putObjectACL, ownershipControls
    case listObjects, listObjectsV2, listVersions, listUploads, deleteObjects
    case getObject, headObject, objectAttributes, putObject, copyObject, deleteObject
    case createUpload, uploadPart, uploadPartCopy, listParts, completeUpload, abortUpload

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
        case .createBucket: "s3:CreateBucket"
        case .headBucket, .listObjects, .listObjectsV2: "s3:ListBucket"
        case .listVersions: "s3:ListBucketVersions"
        case .deleteBucket: "s3:DeleteBucket"
        case .bucketCORS: "s3:GetBucketCORS"
        case .putBucketCORS, .deleteBucketCORS: "s3:PutBucketCORS"
        case .bucketACL: "s3:GetBucketAcl"
        case .putBucketACL: "s3:PutBucketAcl"
        case .objectACL: "s3:GetObjectAcl"
        case .putObjectACL: "s3:PutObjectAcl"
        case .ownershipControls: "s3:GetBucketOwnershipControls"
        case .objectAttributes: "s3:GetObjectAttributes"
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
