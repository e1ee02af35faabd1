internal import CCurl
internal import HTTP

/// What has to be known of a URL before it is used, read by libcurl's own parser: two parsers
/// that disagree about the host are how a request reaches the wrong one.
struct RequestTarget {
    static let urlBytesMax = 16 << 10

    let isSecure: Bool
    /// Loopback and link-local hosts are this machine's business, never a proxy's.
    let isHostLocal: Bool

    init(_ url: String) throws(HTTPFailure) {
        guard url.utf8.count <= Self.urlBytesMax,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let parsed = curl_url()
        else { throw .invalidURL }
        defer { curl_url_cleanup(parsed) }
        // No flags: a scheme is required; which one is checked below.
        guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parsed),
            let host = Self.part(CURLUPART_HOST, of: parsed),
            // A password in a URL ends up in logs; and `https://good@evil` deceives readers.
            Self.part(CURLUPART_USER, of: parsed) == nil,
            Self.part(CURLUPART_PASSWORD, of: parsed) == nil,
            // The server never sees a fragment: its author meant something else.
            Self.part(CURLUPART_FRAGMENT, of: parsed) == nil
        else { throw .invalidURL }
        switch scheme {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .invalidURL
        }
        // libcurl forgives `http:/host` and `http:///host`; other readers see another host there.
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

    // `127.0.0.1.example.com` is a name like any other.
    private static func isIPv4(_ host: String) -> Bool {
        host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    }
}
