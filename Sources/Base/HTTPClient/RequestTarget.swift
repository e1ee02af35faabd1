internal import Bytes
internal import CCurl
internal import HTTP

/// Validates a URL with libcurl's own parser: two parsers that disagree about the host could send a
/// request to the wrong one.
struct RequestTarget {
    static let urlBytesMax = 16 << 10

    let isSecure: Bool
    /// Requests to loopback and link-local hosts never use a proxy.
    let isHostLocal: Bool

    init(_ url: String) throws(HTTPFailure) {
        guard url.utf8.count <= Self.urlBytesMax,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let parsed = curl_url()
        else { throw .invalidURL }
        defer { curl_url_cleanup(parsed) }
        // Without flags a scheme is required; which one is checked below.
        guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parsed),
            let host = Self.part(CURLUPART_HOST, of: parsed),
            // Credentials in a URL end up in logs, and `https://good@evil` misleads readers.
            Self.part(CURLUPART_USER, of: parsed) == nil,
            Self.part(CURLUPART_PASSWORD, of: parsed) == nil,
            // A fragment is not sent to the server, so it is a mistake of the caller.
            Self.part(CURLUPART_FRAGMENT, of: parsed) == nil
        else { throw .invalidURL }
        switch scheme {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .invalidURL
        }
        // libcurl accepts `http:/host` and `http:///host`, in which other parsers see a different
        // host.
        let afterScheme = url.utf8.dropFirst(scheme.utf8.count)
        guard afterScheme.starts(with: "://".utf8), afterScheme.dropFirst(3).first != 0x2F else {
            throw .invalidURL
        }
        isHostLocal =
            host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || Self.isIPv4(host) && (host.hasPrefix("127.") || host.hasPrefix("169.254."))
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    // `127.0.0.1.example.com` is a host name, not an address.
    private static func isIPv4(_ host: String) -> Bool {
        host.utf8.allSatisfy { $0.isDigit || $0 == 0x2E }
    }
}
