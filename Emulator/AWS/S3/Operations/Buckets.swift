internal import Bytes
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func createBucket(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let name = exchange.bucket
        guard S3BucketName.isValid(name) else {
            throw .refused(
                S3Failure(
                    400, "InvalidBucketName", "The specified bucket is not valid.",
                    ("BucketName", name)))
        }
        try checked { () throws(S3Failure) in
            try CannedACL.checkCreation(exchange.request)
            try BucketLocation.check(
                try exchange.body.payload().bytes, region: exchange.caller.region)
        }
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
            try database.deleteBucket(name)
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

/// The location in the body of CreateBucket.
enum BucketLocation {
    private static let limits = XMLLimits(bytesMax: 64 << 10, depthMax: 8, elementsMax: 1000)

    static func check(_ body: [UInt8], region: String) throws(S3Failure) {
        guard !body.isEmpty else { return }
        guard let document = try? XMLElement.parse(body, limits: limits),
            document.name == "CreateBucketConfiguration"
        else { throw .malformedXML }
        guard let location = document["LocationConstraint"]?.text, !location.isEmpty else { return }
        // In us-east-1, buckets for all regions can be created. us-east-1 itself is not a location.
        guard isRegion(location), location != "us-east-1" else {
            throw S3Failure(
                400, "InvalidLocationConstraint",
                "The specified location-constraint is not valid", ("LocationConstraint", location))
        }
        guard region == "us-east-1" || location.isSame(as: region) else {
            throw S3Failure(
                400, "IllegalLocationConstraintException",
                "The \(location) location constraint is incompatible for the region specific "
                    + "endpoint this request was sent to.")
        }
    }

    /// `eu-west-1`, `us-gov-east-1`; `EU` is the old name of eu-west-1.
    private static func isRegion(_ text: String) -> Bool {
        let parts = text.split(separator: "-")
        guard let first = parts.first, parts.count >= 3 else { return text == "EU" }
        return first.utf8.count == 2 && parts.last?.utf8.count == 1
            && parts.last?.utf8.first.map { (0x31...0x39).contains($0) } == true
    }
}

enum S3BucketName {
    /// 3 to 63 lower-case letters, digits, dots and hyphens; not in the form of an IPv4 address.
    static func isValid(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            byte.isLowercase || byte.isDigit
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
