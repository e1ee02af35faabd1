internal import Bytes
internal import EmulatorBase
internal import HTTP

/// The headers that a function receives: the client's without hop-by-hop headers, and the gateway's
/// own.
enum ForwardedHeaders {
    /// RFC 9110 section 7.6.1: hop-by-hop headers are not forwarded.
    private static let hopByHop = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "expect",
    ]

    static func isHopByHop(_ name: String) -> Bool {
        hopByHop.contains { $0.equalsIgnoringCase(name) }
    }

    private static func caller(
        _ request: ServerRequest, except others: [String]
    ) -> [(name: String, value: String)] {
        request.headers.compactMap { header in
            let isForwarded =
                !hopByHop.contains { header.isNamed($0) } && !others.contains { header.isNamed($0) }
            return isForwarded ? (header.name, header.value) : nil
        }
    }

    private static let own = [
        "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto",
    ]
    private static let ownAndCookies = own + ["cookie"]
    private static let ownAndLength = own + ["content-length"]

    private static func gateway(
        _ incoming: IncomingRequest, _ options: GatewayOptions
    ) -> [(name: String, value: String)] {
        let request = incoming.request
        let before = request.headers.filter { $0.isNamed("x-forwarded-for") }.map(\.value)
        let isSecure = options.forwarded == .https443 || request.isSecure
        let port = options.forwarded == .https443 ? 443 : request.local.port
        return [
            ("X-Amzn-Trace-Id", incoming.trace),
            ("X-Forwarded-For", (before + [request.peer.hostText]).joined(separator: ", ")),
            ("X-Forwarded-Port", "\(port)"), ("X-Forwarded-Proto", isSecure ? "https" : "http"),
        ]
    }

    /// Payload 2.0: names in lower case and sorted, repeated values joined with a comma.
    static func joined(
        _ incoming: IncomingRequest, _ options: GatewayOptions, keepsCookie: Bool
    ) -> [(name: String, value: String)] {
        var headers = caller(incoming.request, except: ownAndCookies)
        if !incoming.request.body.isEmpty, incoming.request.header("content-length") == nil {
            headers.append(("content-length", "\(incoming.request.body.count)"))
        }
        headers += gateway(incoming, options)
        if keepsCookie {
            let cookies = incoming.request.headers.filter { $0.isNamed("cookie") }
            if !cookies.isEmpty {
                headers.append(("cookie", cookies.map(\.value).joined(separator: "; ")))
            }
            if incoming.request.isSecure {
                headers.append(("x-amzn-tls-version", "TLSv1.3"))
                headers.append(("x-amzn-tls-cipher-suite", "TLS_AES_128_GCM_SHA256"))
            }
        }
        for index in headers.indices { headers[index].name = headers[index].name.asciiLowercased }
        // Stable sorting: values of the same name keep their order.
        headers.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return headers.reduce(into: []) { joined, header in
            if let last = joined.indices.last, joined[last].name.isSame(as: header.name) {
                joined[last].value += "," + header.value
            } else {
                joined.append(header)
            }
        }
    }

    /// Payload 1.0: names as sent, all values.
    static func listed(
        _ incoming: IncomingRequest, _ options: GatewayOptions
    ) -> [(name: String, values: [String])] {
        let others = options.restForwardsContentLength ? own : ownAndLength
        let headers = caller(incoming.request, except: others) + gateway(incoming, options)
        return Grouping.group(headers) { TextKey($0.asciiLowercased) }
    }

    /// One entry for each cookie of all `Cookie` headers.
    static func cookies(_ request: ServerRequest) -> [String] {
        request.headers.filter { $0.isNamed("cookie") }
            .flatMap { $0.value.pieces(at: ";") }
            .map(\.trimmingBlanks).filter { !$0.isEmpty }
    }
}
