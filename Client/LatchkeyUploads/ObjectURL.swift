package import Foundation
internal import LatchkeyClient

/// The URL of an object.
package enum ObjectURL {
    /// The URL at the endpoint with the bucket in the path, or at AWS with the bucket in the host.
    /// nil if the parts do not form a URL.
    package static func url(
        of key: String, bucket: String, region: String, endpoint: String?
    ) -> URL? {
        let path = key.split(separator: "/", omittingEmptySubsequences: false)
            .map { FormEncoding.escape(String($0)) }.joined(separator: "/")
        if let endpoint {
            let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
            return URL(string: "\(base)/\(FormEncoding.escape(bucket))/\(path)")
        }
        let suffix = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let host = "s3.\(region).\(suffix)"
        // S3's certificate does not cover a bucket name with dots (RFC 6125 section 6.4.3).
        return bucket.contains(".")
            ? URL(string: "https://\(host)/\(bucket)/\(path)")
            : URL(string: "https://\(bucket).\(host)/\(path)")
    }
}
