internal import Bytes
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    static let listedMax = 1000

    enum ListVersion { case one, two, versions }

    func listObjects(_ exchange: S3OperationContext, version: ListVersion)
        throws(S3OperationFailure) -> S3Response
    {
        let request = exchange.request
        let query = try checked { () throws(S3Failure) in try ListQuery(request, version) }
        try requireBucket(exchange.bucket)
        let listing: ObjectListing
        do throws(ObjectStoreFailure) {
            listing = try store.read { database throws(ObjectStoreFailure) in
                try ObjectListing(
                    exchange.bucket, prefix: Array(query.prefix.utf8),
                    delimiter: Array((query.delimiter ?? "").utf8), after: query.marker,
                    entriesMax: query.entriesMax, in: database)
            }
        } catch {
            throw .storage(error)
        }
        return S3Response(document: "ListBucketResult") { xml in
            xml.element("Name", exchange.bucket)
            xml.element("Prefix", query.shown(query.prefix))
            xml.element("Delimiter", ifPresent: query.delimiter.map(query.shown))
            xml.element("MaxKeys", query.entriesMax)
            xml.element("EncodingType", ifPresent: query.isEncoded ? "url" : nil)
            xml.element("IsTruncated", listing.isTruncated ? "true" : "false")
            let last = listing.isTruncated ? listing.entries.last?.name : nil
            switch version {
            case .one:
                xml.element("Marker", query.shown(request["marker"] ?? ""))
                // Without a delimiter the client uses the last key as the marker.
                if query.delimiter != nil, let last {
                    xml.element("NextMarker", query.shown(String(decoding: last, as: UTF8.self)))
                }
            case .versions: break
            case .two:
                xml.element("KeyCount", listing.entries.count)
                xml.element("ContinuationToken", ifPresent: request["continuation-token"])
                xml.element(
                    "NextContinuationToken", ifPresent: last.map { Base64URL.encode([1] + $0) })
                xml.element("StartAfter", ifPresent: request["start-after"].map(query.shown))
            }
            Self.write(listing, query, exchange, to: &xml)
        }
    }

    private static func write(
        _ listing: ObjectListing, _ query: ListQuery, _ exchange: S3OperationContext,
        to xml: inout XMLWriter
    ) {
        let owner = query.showsOwner ? exchange.caller.identity.account : nil
        for case .object(let object) in listing.entries {
            xml.element("Contents") { xml in
                xml.element("Key", query.shown(String(decoding: object.key, as: UTF8.self)))
                write(object, owner: owner, to: &xml)
            }
        }
        writePrefixes(listing, query, to: &xml)
    }

    /// The elements after the key of a listed object.
    static func write(_ object: ListedObject, owner: String?, to xml: inout XMLWriter) {
        xml.element("LastModified", object.modifiedAt.iso8601Milliseconds)
        xml.element("ETag", "\"\(object.etag)\"")
        xml.element("Size", object.byteCount)
        if let owner { xml.element("Owner") { $0.element("ID", owner) } }
        xml.element("StorageClass", "STANDARD")
    }

    static func writePrefixes(
        _ listing: ObjectListing, _ query: ListQuery, to xml: inout XMLWriter
    ) {
        for case .prefix(let prefix) in listing.entries {
            xml.element("CommonPrefixes") {
                $0.element("Prefix", query.shown(String(decoding: prefix, as: UTF8.self)))
            }
        }
    }
}

/// The parameters of a list.
struct ListQuery {
    let prefix: String
    let delimiter: String?
    let entriesMax: Int
    let isEncoded: Bool
    let showsOwner: Bool
    let marker: [UInt8]?

    init(_ request: S3Request, _ version: S3Service.ListVersion) throws(S3Failure) {
        prefix = request["prefix"] ?? ""
        delimiter = request["delimiter"].flatMap { $0.isEmpty ? nil : $0 }
        entriesMax = try request.count(
            "max-keys", argument: "maxKeys", countMax: S3Service.listedMax)
        isEncoded = try Self.isEncoded(request)
        switch version {
        case .one:
            marker = request["marker"].map { Array($0.utf8) }
            showsOwner = true
        case .versions:
            let keyMarker = request["key-marker"] ?? ""
            let versionMarker = request["version-id-marker"] ?? ""
            guard versionMarker.isEmpty || !keyMarker.isEmpty else {
                throw .invalidArgument(
                    "A version-id marker cannot be specified without a key marker.",
                    "version-id-marker", versionMarker)
            }
            marker = keyMarker.isEmpty ? nil : Array(keyMarker.utf8)
            showsOwner = true
        case .two:
            showsOwner = request["fetch-owner"] == "true"
            guard let token = request["continuation-token"] else {
                marker = request["start-after"].map { Array($0.utf8) }
                return
            }
            guard let bytes = Base64URL.decode(token), bytes.first == 1 else {
                throw .invalidArgument(
                    "The continuation token provided is incorrect", "continuation-token", token)
            }
            marker = Array(bytes.dropFirst())
        }
    }

    static func isEncoded(_ request: S3Request) throws(S3Failure) -> Bool {
        guard let encoding = request["encoding-type"] else { return false }
        guard encoding == "url" else {
            throw .invalidArgument(
                "Invalid Encoding Method specified in Request", "encoding-type", encoding)
        }
        return true
    }

    /// XML cannot contain control characters, but it can contain their percent-encoded form.
    func shown(_ text: String) -> String { isEncoded ? PercentEncoding.encodePath(text) : text }
}
