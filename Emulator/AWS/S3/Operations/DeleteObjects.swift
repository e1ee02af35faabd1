internal import Bytes
internal import HTTP
internal import XML

extension S3Service {
    /// The maximum number of keys in one request.
    static let deletedKeysMax = 1000
    private static let deleteLimits = XMLLimits(
        bytesMax: 4 << 20, depthMax: 4, elementsMax: 10_000)

    func deleteObjects(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let (objects, isQuiet) = try checked { () throws(S3Failure) in try Self.objects(exchange) }
        try requireBucket(exchange.bucket)
        let allowed = objects.map { object in
            exchange.caller.may(
                object.hasVersion ? "s3:DeleteObjectVersion" : "s3:DeleteObject", exchange.bucket,
                object.key)
        }
        let failures = try write { database throws(ObjectStoreFailure) in
            var failures: [S3Failure?] = []
            for (object, isAllowed) in zip(objects, allowed) {
                guard isAllowed else {
                    failures.append(.accessDenied)
                    continue
                }
                let isDone = try database.delete(exchange.bucket, object.key, if: object.etag)
                failures.append(isDone ? nil : .preconditionFailed("If-Match"))
            }
            return failures
        }
        return S3Response(document: "DeleteResult") { xml in
            for (object, failure) in zip(objects, failures) {
                if let failure {
                    xml.element("Error") { xml in
                        object.write(to: &xml)
                        xml.element("Code", failure.code)
                        xml.element("Message", failure.message)
                    }
                } else if !isQuiet {
                    xml.element("Deleted") { object.write(to: &$0) }
                }
            }
        }
    }

    private struct DeletedObject: Sendable {
        let key: String
        let hasVersion: Bool
        /// The entity tag that the object must have to be deleted.
        let etag: String?

        func write(to xml: inout XMLWriter) {
            xml.element("Key", key)
            xml.element("VersionId", ifPresent: hasVersion ? "null" : nil)
        }
    }

    private static func objects(
        _ exchange: S3OperationContext
    ) throws(S3Failure) -> ([DeletedObject], isQuiet: Bool) {
        let payload = try exchange.body.digestedPayload()
        guard let document = try? XMLElement.parse(payload.bytes, limits: deleteLimits),
            document.name == "Delete"
        else { throw .malformedXML }
        var objects: [DeletedObject] = []
        for element in document.children where element.name == "Object" {
            guard let key = element["Key"]?.text, !key.isEmpty, objects.count < deletedKeysMax
            else {
                throw .malformedXML
            }
            let version = element["VersionId"]?.text
            guard version?.isSame(as: "null") ?? true else {
                throw .notImplemented("DeleteObjects with a VersionId")
            }
            for name in ["LastModifiedTime", "Size"] where element[name] != nil {
                throw .notImplemented("DeleteObjects with a \(name), which directory buckets have")
            }
            objects.append(
                DeletedObject(
                    key: key, hasVersion: version != nil,
                    etag: element["ETag"].map { S3Preconditions.bare($0.text[...]) }))
        }
        guard !objects.isEmpty else { throw .malformedXML }
        return (objects, document["Quiet"]?.text == "true")
    }
}
