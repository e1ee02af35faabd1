internal import Bytes
internal import Time
internal import XML

extension S3Service {
    /// The maximum number of buckets in one answer.
    private static let bucketsListedMax = 10_000

    func listBuckets(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let request = exchange.request
        let page = try checked { () throws(S3Failure) in try BucketPage(request) }
        let all = try read { database throws(ObjectStoreFailure) in
            try database.buckets().map { NamedBucket(name: $0.name, createdAt: $0.createdAt) }
        }
        let region = exchange.caller.region
        let isInRegion = request["bucket-region"]?.isSame(as: region) ?? true
        let found = all.filter { isInRegion && page.contains($0.name) }
        let buckets = found.prefix(page.countMax)
        return S3Response(document: "ListAllMyBucketsResult") { xml in
            xml.element("Owner") { $0.element("ID", exchange.caller.identity.account) }
            xml.element("Buckets") { xml in
                for bucket in buckets {
                    xml.element("Bucket") { xml in
                        xml.element("Name", bucket.name)
                        xml.element("CreationDate", bucket.createdAt.iso8601Milliseconds)
                        if request.hasFields {
                            xml.element("BucketRegion", region)
                            xml.element("BucketArn", "arn:aws:s3:::\(bucket.name)")
                        }
                    }
                }
            }
            if found.count > buckets.count, let last = buckets.last {
                xml.element("ContinuationToken", Base64URL.encode(Array(last.name.utf8)))
            }
            xml.element("Prefix", ifPresent: request["prefix"])
        }
    }

    private struct NamedBucket: Sendable {
        let name: String
        let createdAt: Instant
    }

    /// The selection of buckets.
    private struct BucketPage {
        let countMax: Int
        private let prefix: String
        /// The last name of the page before.
        private let last: [UInt8]

        init(_ request: S3Request) throws(S3Failure) {
            prefix = request["prefix"] ?? ""
            let count = request["max-buckets"].map { Int($0) ?? 0 } ?? bucketsListedMax
            guard (1...bucketsListedMax).contains(count) else {
                throw .invalidArgument(
                    "Argument max-buckets must be an integer between 1 and \(bucketsListedMax)",
                    "max-buckets", request["max-buckets"] ?? "")
            }
            countMax = count
            let token = request["continuation-token"] ?? ""
            guard let name = Base64URL.decode(token) else {
                throw .invalidArgument(
                    "The continuation token provided is incorrect", "continuation-token", token)
            }
            last = name
        }

        func contains(_ name: String) -> Bool {
            name.utf8.starts(with: prefix.utf8) && last.lexicographicallyPrecedes(Array(name.utf8))
        }
    }
}
