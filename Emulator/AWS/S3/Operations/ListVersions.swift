internal import Bytes
internal import Time
internal import XML

extension S3Service {
    /// The versions of a bucket without versioning: one version of each object, named `null`.
    func listVersions(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let request = exchange.request
        let query = try checked { () throws(S3Failure) in try ListQuery(request, .versions) }
        try requireBucket(exchange.bucket)
        let listing = try read { database throws(ObjectStoreFailure) in
            try ObjectListing(
                exchange.bucket, prefix: Array(query.prefix.utf8),
                delimiter: Array((query.delimiter ?? "").utf8), after: query.marker,
                entriesMax: query.entriesMax, in: database)
        }
        let last = listing.isTruncated ? listing.entries.last : nil
        return S3Response(document: "ListVersionsResult") { xml in
            xml.element("Name", exchange.bucket)
            xml.element("Prefix", query.shown(query.prefix))
            xml.element("KeyMarker", query.shown(request["key-marker"] ?? ""))
            xml.element("VersionIdMarker", request["version-id-marker"] ?? "")
            if let last {
                xml.element(
                    "NextKeyMarker", query.shown(String(decoding: last.name, as: UTF8.self)))
                if case .object = last { xml.element("NextVersionIdMarker", "null") }
            }
            xml.element("MaxKeys", query.entriesMax)
            xml.element("Delimiter", ifPresent: query.delimiter.map(query.shown))
            xml.element("EncodingType", ifPresent: query.isEncoded ? "url" : nil)
            xml.element("IsTruncated", listing.isTruncated ? "true" : "false")
            for case .object(let object) in listing.entries {
                xml.element("Version") { xml in
                    xml.element("Key", query.shown(String(decoding: object.key, as: UTF8.self)))
                    xml.element("VersionId", "null")
                    xml.element("IsLatest", "true")
                    Self.write(object, owner: exchange.caller.identity.account, to: &xml)
                }
            }
            Self.writePrefixes(listing, query, to: &xml)
        }
    }
}
