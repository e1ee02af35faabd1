package import HTTP

/// The parts of a request that Signature Version 4 covers, as sent.
package struct SignableRequest: Sendable, Equatable {
    package var method: String
    /// Percent-encoded; empty stands for `/`.
    package var path: String
    /// Percent-encoded, without `?`.
    package var query: String
    package var headers: [HTTPHeader]

    package init(method: String, path: String, query: String, headers: [HTTPHeader]) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
    }

    /// Adds the `Host` header that a client sends for the URL, unless the request has one.
    package init(_ request: HTTPRequest) throws(SignatureFailure) {
        let url = try RequestURL(request.url)
        let hasHost = request.headers.contains { $0.isNamed("host") }
        self.init(
            method: request.method.rawValue, path: url.path, query: url.query ?? "",
            headers: request.headers + (hasHost ? [] : [HTTPHeader("Host", url.authority)]))
    }
}

/// The parts of a URL that a signature needs, byte for byte.
struct RequestURL {
    /// `https://`
    let scheme: String
    /// The value of the `Host` header: the host, and the port unless it is the scheme's default.
    let authority: String
    let path: String
    let query: String?

    init(_ url: String) throws(SignatureFailure) {
        let bytes = url.utf8
        let lead = ["https://", "http://"].first { bytes.starts(with: $0.utf8) }
        guard let scheme = lead, !bytes.contains(0x23) else { throw .invalidURL }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
        let host = rest[..<end]
        guard !host.isEmpty, !host.contains(0x40) else { throw .invalidURL }
        let mark = rest.firstIndex(of: 0x3F)
        self.scheme = scheme
        // HTTP clients omit a scheme's default port from `Host`.
        let standardPort = scheme == "https://" ? ":443" : ":80"
        let given = String(Substring(host))
        authority =
            given.hasSuffix(standardPort) ? String(given.dropLast(standardPort.count)) : given
        path = String(Substring(rest[end..<(mark ?? rest.endIndex)]))
        query = mark.map { String(Substring(rest[rest.index(after: $0)...])) }
    }

    func text(query: String) -> String { scheme + authority + path + "?" + query }
}
