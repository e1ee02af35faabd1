internal import Bytes

/// One rule of a bucket's CORS configuration (Amazon S3 User Guide, "Elements of a CORS
/// configuration").
package struct BucketCORSRule: Sendable, Equatable {
    package var id: String?
    /// The origins, each with at most one `*`.
    package var origins: [String]
    package var methods: [String]
    /// The headers, each with at most one `*`.
    package var headers: [String]
    package var exposedHeaders: [String]
    package var maxAgeSeconds: Int?

    package init(
        id: String? = nil, origins: [String], methods: [String], headers: [String] = [],
        exposedHeaders: [String] = [], maxAgeSeconds: Int? = nil
    ) {
        self.id = id
        self.origins = origins
        self.methods = methods
        self.headers = headers
        self.exposedHeaders = exposedHeaders
        self.maxAgeSeconds = maxAgeSeconds
    }

    /// The methods that a rule may have.
    static let allowedMethods = ["GET", "PUT", "POST", "DELETE", "HEAD"]
    static let rulesMax = 100

    var allowsEveryOrigin: Bool { origins.contains { $0.isSame(as: "*") } }

    /// `requestedHeaders` are the names in `Access-Control-Request-Headers`, in lower case.
    func allows(origin: String, method: String, requestedHeaders: [String]) -> Bool {
        methods.contains { $0.isSame(as: method) }
            && origins.contains { Self.matches($0, origin) }
            && requestedHeaders.allSatisfy { name in
                headers.contains { Self.matches($0.lowercased(), name) }
            }
    }

    /// `*` stands for any text.
    private static func matches(_ pattern: String, _ text: String) -> Bool {
        let parts = pattern.utf8.split(
            separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return pattern.isSame(as: text) }
        let bytes = Array(text.utf8)
        return bytes.count >= parts[0].count + parts[1].count
            && bytes.starts(with: parts[0])
            && bytes.suffix(parts[1].count).elementsEqual(parts[1])
    }
}
