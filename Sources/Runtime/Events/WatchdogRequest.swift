internal import Bytes

/// A request from an OpenFaaS watchdog that forks per request: the environment and stdin (the
/// classic watchdog's README, section "Environmental overrides", and its `requestHandler`).
///
/// `Http_Path` is decoded, `Http_Query` is not and is absent without a query, and only the first
/// value of a repeated header is passed.
enum WatchdogRequest {
    static func decode(
        _ environment: Environment, body: [UInt8]?, basePath: String, requestID: String
    ) -> Request {
        var request = Request(
            method: (environment["Http_Method"] ?? "").asciiUppercased, requestID: requestID)
        request.setPath(decoded: environment["Http_Path"] ?? "/")
        request.stripPrefix(basePath)
        request.setQuery(encoded: environment["Http_Query"] ?? "")
        for (name, value) in environment.variables(withPrefix: "Http_") where !isOwn(name) {
            let header = name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
            guard request.addHeader(String(decoding: header, as: UTF8.self), value) else { break }
        }
        request.userAgent = request.header("user-agent")
        request.requestID = RequestID.legal(request.header("x-call-id")) ?? requestID
        if let body {
            request.body = body
        } else {
            request.defect = .bodyTooLarge
        }
        return request
    }

    /// Variables that the watchdog adds, which are not headers of the request.
    private static func isOwn(_ name: String) -> Bool {
        ["Method", "Path", "Query", "ContentLength"].contains { name.isSame(as: $0) }
    }
}
