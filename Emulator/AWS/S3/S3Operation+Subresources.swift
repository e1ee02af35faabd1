internal import Bytes

// Operations that a query parameter without a value selects: `GET /bucket?cors`.
extension S3Operation {
    private struct Subresource {
        let field: String
        let isOfObject: Bool
        let method: String
        let operation: S3Operation

        init(_ method: String, _ field: String, ofObject isOfObject: Bool, _ operation: S3Operation)
        {
            self.field = field
            self.isOfObject = isOfObject
            self.method = method
            self.operation = operation
        }
    }

    private static let supported = [
        Subresource("GET", "acl", ofObject: false, .bucketACL),
        Subresource("PUT", "acl", ofObject: false, .putBucketACL),
        Subresource("GET", "acl", ofObject: true, .objectACL),
        Subresource("PUT", "acl", ofObject: true, .putObjectACL),
        Subresource("GET", "attributes", ofObject: true, .objectAttributes),
        Subresource("GET", "cors", ofObject: false, .bucketCORS),
        Subresource("PUT", "cors", ofObject: false, .putBucketCORS),
        Subresource("DELETE", "cors", ofObject: false, .deleteBucketCORS),
        Subresource("GET", "ownershipControls", ofObject: false, .ownershipControls),
        Subresource("GET", "versions", ofObject: false, .listVersions),
    ]

    /// Subresources that are not supported. The error contains the name of the operation, which is
    /// composed of the verb and this name.
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
        ("torrent", "Torrent"), ("versions", "Versions"), ("website", "Website"),
        ("append", "Append"), ("renameObject", "Rename"),
    ]

    static func ofSubresource(_ request: S3Request) throws(S3Failure) -> S3Operation? {
        let method = request.call.method
        let isOfObject = request.key != nil
        for known in supported
        where known.isOfObject == isOfObject && known.method.isSame(as: method)
            && request.has(known.field)
        {
            return known.operation
        }
        for refused in refused where request.has(refused.field) {
            let verb = ["GET": "Get", "PUT": "Put", "DELETE": "Delete", "HEAD": "Head"][method]
            throw .notImplemented(
                "\(verb ?? "Post")\(isOfObject ? "Object" : "Bucket")\(refused.name)")
        }
        return nil
    }

    /// Buckets have no versioning: the only version of an object is `null`.
    static func checkVersion(_ request: S3Request) throws(S3Failure) {
        guard let version = request["versionId"], !version.isSame(as: "null") else { return }
        throw .invalidArgument(
            version.isEmpty
                ? "Version id cannot be the empty string" : "Invalid version id specified",
            "versionId", version)
    }
}
