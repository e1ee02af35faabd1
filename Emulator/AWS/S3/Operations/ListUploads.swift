internal import Bytes
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func listParts(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let request = exchange.request
        let id = request["uploadId"] ?? ""
        let (after, partsMax) = try checked { () throws(S3Failure) in
            (
                request["part-number-marker"] == nil
                    ? 0
                    : try request.count(
                        "part-number-marker", argument: "part-number-marker",
                        countMax: PartNumber.range.upperBound),
                try request.count("max-parts", argument: "max-parts", countMax: Self.listedMax)
            )
        }
        let (upload, found) = try read { database throws(ObjectStoreFailure) in
            (
                try database.upload(exchange.bucket, exchange.key, id),
                try database.parts(of: id, after: after, rowsMax: partsMax + 1)
            )
        }
        guard let upload else { throw .refused(.noSuchUpload(id)) }
        let parts = found.prefix(partsMax)
        return S3Response(document: "ListPartsResult") { xml in
            xml.element("Bucket", exchange.bucket)
            xml.element("Key", exchange.key)
            xml.element("UploadId", id)
            xml.element("Initiator") { $0.element("ID", exchange.caller.identity.arn) }
            xml.element("Owner") { $0.element("ID", exchange.caller.identity.account) }
            xml.element("StorageClass", "STANDARD")
            xml.element("PartNumberMarker", after)
            xml.element("NextPartNumberMarker", parts.last?.number ?? 0)
            xml.element("MaxParts", partsMax)
            xml.element("IsTruncated", found.count > partsMax ? "true" : "false")
            if let checksum = UploadChecksum(upload.headers) {
                xml.element("ChecksumAlgorithm", checksum.algorithm.rawValue)
                xml.element("ChecksumType", checksum.type)
            }
            for part in parts {
                xml.element("Part") { xml in
                    xml.element("PartNumber", part.number)
                    xml.element("LastModified", part.modifiedAt.iso8601Milliseconds)
                    xml.element("ETag", "\"\(part.etag)\"")
                    xml.element("Size", part.byteCount)
                    if let checksum = part.checksum {
                        xml.element(checksum.algorithm.element, checksum.value)
                    }
                }
            }
        }
    }

    func listUploads(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let request = exchange.request
        let (query, uploadsMax) = try checked { () throws(S3Failure) in
            guard request["delimiter"] == nil else {
                throw .notImplemented("ListMultipartUploads with a delimiter")
            }
            return (
                try ListQuery(request, .one),
                try request.count(
                    "max-uploads", argument: "max-uploads", countMax: Self.listedMax)
            )
        }
        try requireBucket(exchange.bucket)
        let keyMarker = request["key-marker"] ?? ""
        let idMarker = request["upload-id-marker"] ?? (keyMarker.isEmpty ? "" : "\u{10FFFF}")
        let found = try read { database throws(ObjectStoreFailure) in
            try database.uploads(
                exchange.bucket, afterKey: keyMarker, id: idMarker,
                rowsMax: Self.uploadsListedMax)
        }.filter { $0.key.utf8.starts(with: query.prefix.utf8) }
        let uploads = found.prefix(uploadsMax)
        return S3Response(document: "ListMultipartUploadsResult") { xml in
            xml.element("Bucket", exchange.bucket)
            xml.element("KeyMarker", query.shown(keyMarker))
            xml.element("UploadIdMarker", request["upload-id-marker"] ?? "")
            xml.element("NextKeyMarker", query.shown(uploads.last?.key ?? ""))
            xml.element("NextUploadIdMarker", uploads.last?.id ?? "")
            xml.element("Prefix", query.shown(query.prefix))
            xml.element("EncodingType", ifPresent: query.isEncoded ? "url" : nil)
            xml.element("MaxUploads", uploadsMax)
            xml.element("IsTruncated", found.count > uploadsMax ? "true" : "false")
            for upload in uploads {
                xml.element("Upload") { xml in
                    xml.element("Key", query.shown(upload.key))
                    xml.element("UploadId", upload.id)
                    xml.element("StorageClass", "STANDARD")
                    xml.element("Initiated", upload.startedAt.iso8601Milliseconds)
                }
            }
        }
    }

    /// The number of uploads that are read: the prefix filter is applied after reading.
    private static let uploadsListedMax = 100_000
}
