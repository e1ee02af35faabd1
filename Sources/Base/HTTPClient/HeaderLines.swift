internal import Bytes
internal import CCurl
internal import HTTP

/// The request's headers as a libcurl list, which it owns.
///
/// Only the headers of the request, `Host` and `Content-Length` are sent: headers that libcurl
/// would add (`Accept`, `Expect`, a form's `Content-Type`) are suppressed.
final class HeaderLines {
    static let headersMax = 100
    static let headerBytesMax = 64 << 10

    /// Headers that libcurl adds by default.
    private static let unasked = ["accept", "expect", "content-type"]

    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// Throws for a header with a line break (header injection), so that nothing is sent.
    init(_ request: HTTPRequest) throws(HTTPFailure) {
        var lines: [String] = []
        lines.reserveCapacity(request.headers.count + Self.unasked.count)
        for header in request.headers {
            guard Self.isSendable(header), !header.isNamed("transfer-encoding") else {
                throw .invalidURL
            }
            // libcurl computes the length: a second, different value would allow request smuggling.
            if header.isNamed("content-length") { continue }
            // For libcurl, `Name:` means "do not send", and `Name;` means an empty value.
            lines.append(
                header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        for name in Self.unasked where !request.headers.contains(where: { $0.isNamed(name) }) {
            lines.append("\(name):")
        }
        guard request.headers.count <= Self.headersMax,
            lines.reduce(0, { $0 + $1.utf8.count }) <= Self.headerBytesMax
        else { throw .invalidURL }
        for line in lines {
            // After a failed append the list is unchanged, and `deinit` frees it.
            guard let longer = curl_slist_append(list, line) else {
                throw .connectFailed(detail: "out of memory")
            }
            list = longer
        }
    }

    deinit { curl_slist_free_all(list) }

    // A token character (RFC 9110 section 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isSendable(_ header: HTTPHeader) -> Bool {
        !header.name.isEmpty && header.name.utf8.allSatisfy(isTokenByte)
            && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
