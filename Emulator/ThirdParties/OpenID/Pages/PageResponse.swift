internal import EmulatorBase
internal import HTML
internal import HTTP

extension ServerResponse {
    /// A page that loads no resources, cannot be framed, and runs at most its own script.
    static func page(
        _ html: HTML, status: Int = 200, scriptNonce: String? = nil
    ) -> ServerResponse {
        let script = scriptNonce.map { "; script-src 'nonce-\($0)'" } ?? ""
        return ServerResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "text/html; charset=utf-8"),
                HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                        + "frame-ancestors 'none'\(script)"),
                HTTPHeader("Referrer-Policy", "no-referrer"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: Array(html.text.utf8))
    }
}
