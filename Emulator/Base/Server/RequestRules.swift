internal import Bytes
internal import HTTP

/// Additional rules for request heads (RFC 9112).
///
/// Requests that two servers could interpret differently are refused, such as a request with two
/// lengths, or with both a length and chunks (request smuggling).
enum RequestRules {
    static let methodBytesMax = 32

    /// The response to a head that breaks a rule.
    static func refusal(
        method: String, target: String, version: String, headers: [HTTPHeader], limits: ServerLimits
    ) -> ServerResponse? {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return .refusal(505, "HTTP Version Not Supported")
        }
        guard method.isHTTPToken, method.utf8.count <= methodBytesMax, isTarget(target, of: method),
            headers.allSatisfy({ $0.name.isHTTPToken && $0.value.isHTTPFieldValue }),
            hasOneHost(headers, version: version)
        else { return .refusal(400, "Bad Request") }
        return framing(headers, version: version, limits: limits)
    }

    private static func framing(
        _ headers: [HTTPHeader], version: String, limits: ServerLimits
    ) -> ServerResponse? {
        let lengths = headers.count(of: "content-length")
        let encodings = headers.count(of: "transfer-encoding")
        guard lengths + encodings <= 1 else { return .refusal(400, "Bad Request") }
        if encodings == 1, let encoding = headers.value("transfer-encoding") {
            guard version == "HTTP/1.1", encoding.lowercased() == "chunked" else {
                return .refusal(400, "Bad Request")
            }
        }
        if lengths == 1, let length = headers.value("content-length") {
            guard !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else {
                return .refusal(400, "Bad Request")
            }
        }
        return nil
    }

    /// Whether the announced length is over the limit; chunked bodies announce none.
    static func isTooLarge(_ headers: [HTTPHeader], bytesMax: Int) -> Bool {
        guard let text = headers.value("content-length") else {
            return false
        }
        return (Int(text) ?? .max) > bytesMax
    }

    private static func hasOneHost(_ headers: [HTTPHeader], version: String) -> Bool {
        let hosts = headers.count(of: "host")
        return hosts == 1 || (hosts == 0 && version == "HTTP/1.0")
    }

    /// A path, or `*` for OPTIONS; neither the absolute form nor the authority form.
    private static func isTarget(_ target: String, of method: String) -> Bool {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return false
        }
        return target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == "OPTIONS")
    }
}
