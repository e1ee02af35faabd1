internal import EmulatorBase
internal import HTTP

/// The developer's dashboard, at the root of the control port: a page without data, whose scripts
/// use the control API. `ControlAccess` has admitted the request.
struct DashboardEndpoint: Sendable {
    static let prefix = "/dashboard/"

    var files = DashboardFiles.embedded

    static func serves(path: Substring) -> Bool { path.utf8.starts(with: prefix.utf8) }

    /// The page can use only these files as scripts and styles, and the scripts cannot turn text
    /// into markup (Content Security Policy Level 3; Trusted Types).
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' blob:", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    func page(_ request: ServerRequest) -> ServerResponse {
        answer(
            request, files.page, type: "text/html; charset=utf-8", cache: "no-cache",
            [
                HTTPHeader("Content-Security-Policy", Self.policy),
                HTTPHeader("X-Frame-Options", "DENY"),
                HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
            ])
    }

    /// `/dashboard/<version>/<name>`
    func file(_ request: ServerRequest) -> ServerResponse {
        let parts = request.path.dropFirst(Self.prefix.utf8.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.elementsEqual(files.version.utf8),
            let file = files.file(parts[1])
        else { return .error(404, "Not found: this dashboard has the version \(files.version).") }
        guard ["GET", "HEAD"].contains(request.method) else {
            return .error(405, "Method not allowed: this is a file.")
        }
        return answer(
            request, file.bytes, type: DashboardFiles.type(file.name),
            cache: "public, max-age=31536000, immutable")
    }

    private func answer(
        _ request: ServerRequest, _ body: [UInt8], type: String, cache: String,
        _ more: [HTTPHeader] = []
    ) -> ServerResponse {
        let tag = "\"\(files.version)\""
        let isKnown = request.header("if-none-match") == tag
        return ServerResponse(
            status: isKnown ? 304 : 200,
            headers: [
                HTTPHeader("Content-Type", type), HTTPHeader("Cache-Control", cache),
                HTTPHeader("ETag", tag), HTTPHeader("Referrer-Policy", "no-referrer"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ] + more, body: isKnown ? [] : body)
    }
}
