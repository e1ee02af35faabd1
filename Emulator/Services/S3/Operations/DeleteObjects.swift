internal import Bytes
internal import HTTP
internal import XML

extension S3Service {
    /// The maximum number of keys in one request.
    static let deletedKeysMax = 1000
    private static let deleteLimits = XMLLimits(
        bytesMax: 4 << 20, depthMax: 4, elementsMax: 10_000)

    func deleteObjects(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let (keys, isQuiet) = try checked { () throws(S3Failure) in try Self.keys(exchange) }
        try requireBucket(exchange.bucket)
        let allowed = keys.map {
            exchange.caller.may("s3:DeleteObject", exchange.bucket, $0)
        }
        try write { database throws(ObjectStoreFailure) in
            for (key, isAllowed) in zip(keys, allowed) where isAllowed {
                try database.delete(exchange.bucket, key)
            }
        }
        return S3Response(document: "DeleteResult") { xml in
            for (key, isAllowed) in zip(keys, allowed) {
                if !isAllowed {
                    xml.element("Error") { xml in
                        xml.element("Key", key)
                        xml.element("Code", S3Failure.accessDenied.code)
                        xml.element("Message", S3Failure.accessDenied.message)
                    }
                } else if !isQuiet {
                    xml.element("Deleted") { $0.element("Key", key) }
                }
            }
        }
    }

    private static func keys(
        _ exchange: S3OperationContext
    ) throws(S3Failure) -> ([String], isQuiet: Bool) {
        let payload = try exchange.body.payload()
        let checksum = try exchange.body.checksum(of: payload)
        guard checksum != nil || exchange.request.header("content-md5") != nil else {
            throw .invalidRequest("Missing required header for this request: Content-MD5")
        }
        guard let document = try? XMLElement.parse(payload.bytes, limits: deleteLimits),
            document.name == "Delete"
        else { throw .malformedXML }
        var keys: [String] = []
        for element in document.children where element.name == "Object" {
            guard element["VersionId"] == nil else {
                throw .notImplemented("DeleteObjects with a VersionId")
            }
            guard let key = element["Key"]?.text, !key.isEmpty, keys.count < deletedKeysMax else {
                throw .malformedXML
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .malformedXML }
        return (keys, document["Quiet"]?.text == "true")
    }
}
