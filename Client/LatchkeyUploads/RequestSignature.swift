package import Foundation
package import LatchkeyClient

/// Signature Version 4 of AWS, in headers.
///
/// For S3 the signature does not include the hash of the body: HTTPS protects the body, and hashing
/// it would cost more than sending it.
package struct RequestSignature {
    private static let algorithm = "AWS4-HMAC-SHA256"
    package static let unsignedPayload = "UNSIGNED-PAYLOAD"

    private let accessKeyID: String
    private let secretAccessKey: String
    private let sessionToken: String?
    private let region: String
    private let service: String

    package init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String?, region: String,
        service: String = "s3"
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }

    package init(_ credentials: StorageCredentials) {
        self.init(
            accessKeyID: credentials.accessKeyID, secretAccessKey: credentials.secretAccessKey,
            sessionToken: credentials.sessionToken, region: credentials.region)
    }

    /// Adds `Authorization` and the headers that it depends on. All headers are signed.
    package func sign(
        _ request: inout HTTPRequest, at now: Date, payload: String = Self.unsignedPayload
    ) {
        let time = Self.text(now)
        request.headers["x-amz-date"] = time
        request.headers["x-amz-content-sha256"] = payload
        request.headers["x-amz-security-token"] = sessionToken
        var signed = request.headers.map { ($0.key.lowercased(), $0.value) }
        signed.append(("host", Self.host(of: request.url)))
        signed.sort { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        let query = (parts?.percentEncodedQuery ?? "").split(separator: "&")
            .map { $0.contains("=") ? String($0) : "\($0)=" }.sorted().joined(separator: "&")
        let path = parts?.percentEncodedPath ?? ""
        let canonical = [
            request.method, path.isEmpty ? "/" : path, query,
            signed.map { "\($0.0):\($0.1.trimmingCharacters(in: .whitespaces))\n" }.joined(),
            names, payload,
        ].joined(separator: "\n")
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = [Self.algorithm, time, scope, Self.hex(SHA256.hash(Array(canonical.utf8)))]
            .joined(separator: "\n")
        var key = Array("AWS4\(secretAccessKey)".utf8)
        for part in [day, region, service, "aws4_request", text] {
            key = Self.authenticate(Array(part.utf8), with: key)
        }
        request.headers["Authorization"] =
            "\(Self.algorithm) Credential=\(accessKeyID)/\(scope),SignedHeaders=\(names),"
            + "Signature=\(Self.hex(key))"
    }

    /// The payload hash for a service other than S3.
    package static func payload(of body: Data) -> String { hex(SHA256.hash(Array(body))) }

    /// The header `Host` as the transport sends it.
    private static func host(of url: URL) -> String {
        let host = url.host() ?? ""
        return url.port.map { "\(host):\($0)" } ?? host
    }

    /// `20130524T000000Z`.
    static func text(_ date: Date) -> String {
        date.formatted(.iso8601).replacing("-", with: "").replacing(":", with: "")
    }

    /// HMAC (RFC 2104) with SHA-256.
    package static func authenticate(_ message: [UInt8], with key: [UInt8]) -> [UInt8] {
        let block = 64
        var padded = key.count > block ? SHA256.hash(key) : key
        padded += [UInt8](repeating: 0, count: block - padded.count)
        let inner = SHA256.hash(padded.map { $0 ^ 0x36 } + message)
        return SHA256.hash(padded.map { $0 ^ 0x5C } + inner)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
