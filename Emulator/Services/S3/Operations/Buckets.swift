internal import EmulatorIAM
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func listBuckets(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let buckets = try read { database throws(ObjectStoreFailure) in
            try database.buckets().map { NamedBucket(name: $0.name, createdAt: $0.createdAt) }
        }
        let account = exchange.caller.identity.account
        return S3Response(document: "ListAllMyBucketsResult") { xml in
            xml.element("Owner") { $0.element("ID", account) }
            xml.element("Buckets") { xml in
                for bucket in buckets {
                    xml.element("Bucket") { xml in
                        xml.element("Name", bucket.name)
                        xml.element("CreationDate", bucket.createdAt.iso8601Milliseconds)
                    }
                }
            }
        }
    }

    private struct NamedBucket: Sendable {
        let name: String
        let createdAt: Instant
    }

    func createBucket(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let name = exchange.bucket
        guard S3BucketName.isValid(name) else {
            throw .refused(
                S3Failure(
                    400, "InvalidBucketName", "The specified bucket is not valid.",
                    ("BucketName", name)))
        }
        try checked { () throws(S3Failure) in _ = try exchange.body.payload() }
        let isNew = try write { database throws(ObjectStoreFailure) in
            guard try database.bucketCreatedAt(name) == nil else { return false }
            try database.run(
                .addBucket, .bytes(Array(name.utf8)), .integer(exchange.now.milliseconds))
            return true
        }
        // In us-east-1, creating an existing bucket again succeeds.
        guard isNew || exchange.caller.region == "us-east-1" else {
            throw .refused(
                S3Failure(
                    409, "BucketAlreadyOwnedByYou",
                    "Your previous request to create the named bucket succeeded and you already "
                        + "own it.", ("BucketName", name)))
        }
        return S3Response(headers: [HTTPHeader("location", "/\(name)")])
    }

    func headBucket(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        var answer = S3Response(
            headers: [
                HTTPHeader("x-amz-bucket-region", exchange.caller.region),
                HTTPHeader("content-type", "application/xml"),
            ])
        answer.contentLength = 0
        return answer
    }

    func deleteBucket(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let name = exchange.bucket
        try requireBucket(name)
        let isDone = try write { database throws(ObjectStoreFailure) in
            guard try database.isEmpty(name) else { return false }
            // Uploads in progress are deleted with their bucket.
            for upload in try database.uploads(name, afterKey: "", id: "", rowsMax: .max) {
                let parts = try database.parts(of: upload.id, after: 0, rowsMax: .max)
                try database.end(upload, in: name, releasing: parts)
            }
            try database.run(.deleteBucket, .bytes(Array(name.utf8)))
            return true
        }
        guard isDone else {
            throw .refused(
                S3Failure(
                    409, "BucketNotEmpty", "The bucket you tried to delete is not empty",
                    ("BucketName", name)))
        }
        return S3Response(status: 204)
    }

    func bucketLocation(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        let region = exchange.caller.region
        var xml = XMLWriter()
        xml.element("LocationConstraint", namespace: S3Response.namespace) { xml in
            xml.text(region == "us-east-1" ? "" : region)
        }
        return S3Response(headers: [HTTPHeader("content-type", "application/xml")], body: xml.bytes)
    }

    /// Versioning was never enabled, so the response has no elements.
    func bucketVersioning(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        return S3Response(document: "VersioningConfiguration") { _ in }
    }
}

enum S3BucketName {
    /// 3 to 63 lower-case letters, digits, dots and hyphens; not in the form of an IPv4 address.
    static func isValid(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
        }
        guard (3...63).contains(bytes.count), let first = bytes.first, let last = bytes.last,
            isAlphanumeric(first), isAlphanumeric(last),
            bytes.allSatisfy({ isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }),
            !name.contains("..")
        else { return false }
        let parts = name.split(separator: ".")
        return !(parts.count == 4 && parts.allSatisfy { UInt8($0) != nil })
    }
}
