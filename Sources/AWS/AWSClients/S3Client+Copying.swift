internal import Bytes
internal import HTTP
internal import XML

extension S3Client {
    package struct ListedObject: Equatable, Sendable {
        package let key: String
        package let etag: String
        package let byteCount: Int64

        package init(key: String, etag: String, byteCount: Int64) {
            self.key = key
            self.etag = etag
            self.byteCount = byteCount
        }
    }

    /// A server-side copy of 5 GB, the maximum of one request, can take longer than this. Then the
    /// next run finds that the copy exists.
    private static let copyLimits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 30_000, responseBytesMax: 64 << 10)

    /// Objects below a prefix in the order of their keys (ListObjectsV2).
    ///
    /// - Parameter key: only later keys are listed.
    package func objects(
        prefix: String, after key: String?, max: Int = Self.keysMax
    ) throws(AWSFailure) -> [ListedObject] {
        var query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(max)),
            ("prefix", prefix),
        ]
        if let key { query.append(("start-after", key)) }
        return try list(query, root: "ListBucketResult") { document in
            document.children.filter { $0.name == "Contents" }.map { object in
                guard let key = object["Key"].flatMap(Self.decoded),
                    let etag = object["ETag"]?.text,
                    let byteCount = object["Size"].flatMap({ Int64($0.text) })
                else { return nil }
                return ListedObject(key: key, etag: etag, byteCount: byteCount)
            }
        }
    }

    package enum CopyOutcome: Equatable, Sendable {
        case copied
        /// There is an object with the new key already. It is not changed.
        case exists
        /// The object was deleted since it was listed.
        case missing
    }

    /// Copies an object within the bucket, with its metadata, to a key without an object
    /// (CopyObject with `If-None-Match`).
    package func copy(_ source: String, to key: String) throws(AWSFailure) -> CopyOutcome {
        let request = HTTPRequest(
            .put, "\(bucketURL)/\(PercentEncoding.encodePath(key))",
            headers: [
                HTTPHeader(
                    "x-amz-copy-source", "\(bucketPath)/\(PercentEncoding.encodePath(source))"),
                HTTPHeader("If-None-Match", "*"),
            ], limits: Self.copyLimits)
        return try service.perform(request, credentials: credentials, repeating: .always) {
            response -> AWSService.Reading<CopyOutcome> in
            guard response.status == 200 else {
                let refusal = Self.refusal(response)
                switch refusal.code {
                case "PreconditionFailed": return .done(.exists)
                case "NoSuchKey": return .done(.missing)
                default: return .failed(.refused(refusal), refusal.retry)
                }
            }
            // The body can be an error although the status is 200.
            guard let document = try? XMLElement.parse(response.body) else {
                return .failed(.malformedResponse, .doubtful)
            }
            if document.name == "CopyObjectResult" { return .done(.copied) }
            let refusal = AWSRefusal(status: 503, code: document["Code"]?.text ?? "")
            return .failed(.refused(refusal), refusal.retry)
        }
    }
}
