internal import Bytes
internal import HTTP
internal import XML

// Access control lists, as every bucket has had them since April 2023: with the bucket owner
// enforced they are disabled (Amazon S3 User Guide, "Controlling ownership of objects and disabling
// ACLs for your bucket"). They can be read, and show the owner's full control.
extension S3Service {
    func bucketACL(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        return Self.ownersFullControl(exchange)
    }

    func objectACL(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        _ = try object(exchange)
        return Self.ownersFullControl(exchange)
    }

    private static func ownersFullControl(_ exchange: S3OperationContext) -> S3Response {
        let owner = exchange.caller.identity.account
        return S3Response(document: "AccessControlPolicy") { xml in
            xml.element("Owner") { $0.element("ID", owner) }
            xml.element("AccessControlList") { xml in
                xml.element("Grant") { xml in
                    let type = [
                        (
                            name: "xmlns:xsi",
                            text: "http://www.w3.org/2001/XMLSchema-instance"
                        ), (name: "xsi:type", text: "CanonicalUser"),
                    ]
                    xml.element("Grantee", attributes: type) { $0.element("ID", owner) }
                    xml.element("Permission", "FULL_CONTROL")
                }
            }
        }
    }

    func putBucketACL(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        throw .refused(.aclNotSupported)
    }

    func putObjectACL(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        _ = try object(exchange)
        let isOwners = exchange.request.header("x-amz-acl").map(CannedACL.isOwnersFullControl)
        guard isOwners == true else { throw .refused(.aclNotSupported) }
        var answer = S3Response()
        answer.contentLength = 0
        return answer
    }

    func ownershipControls(
        _ exchange: S3OperationContext
    ) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        return S3Response(document: "OwnershipControls") { xml in
            xml.element("Rule") { $0.element("ObjectOwnership", "BucketOwnerEnforced") }
        }
    }
}

/// `x-amz-acl` and the grants of a request.
enum CannedACL {
    static func isOwnersFullControl(_ text: String) -> Bool {
        text.isSame(as: "bucket-owner-full-control")
    }

    /// `name` is a header's name in lower case.
    static func isRefused(_ name: String, _ value: String) -> Bool {
        name.hasPrefix("x-amz-grant-")
            || name.isSame(as: "x-amz-acl") && !isOwnersFullControl(value)
    }

    /// The check for operations that read no other headers.
    static func check(_ request: S3Request) throws(S3Failure) {
        for header in request.call.headers
        where isRefused(header.name.lowercased(), header.value) {
            throw .aclNotSupported
        }
    }

    /// CreateBucket accepts an ACL equal to the bucket's own ACL.
    static func checkCreation(_ request: S3Request) throws(S3Failure) {
        let harmless = ["private", "bucket-owner-full-control"]
        let isPrivate = request.header("x-amz-acl").map { text in
            harmless.contains { $0.isSame(as: text) }
        }
        let grants = request.call.headers.contains { $0.isNamed(from: "x-amz-grant-") }
        let ownership = request.header("x-amz-object-ownership") ?? enforced
        guard ownership.isSame(as: enforced) else {
            throw .notImplemented("buckets with ACLs: x-amz-object-ownership: \(ownership)")
        }
        guard isPrivate ?? true, !grants else {
            throw S3Failure(
                400, "InvalidBucketAclWithObjectOwnership",
                "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting")
        }
    }

    private static let enforced = "BucketOwnerEnforced"
}

extension S3Failure {
    static let aclNotSupported = S3Failure(
        400, "AccessControlListNotSupported", "The bucket does not allow ACLs")
}
