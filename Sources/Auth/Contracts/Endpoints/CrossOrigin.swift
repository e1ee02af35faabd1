internal import AuthDomain
internal import Bytes
internal import FunctionRuntime

/// Requests that a page of another origin sends with `fetch` (Fetch Standard, "CORS protocol").
///
/// There is no `Access-Control-Allow-Credentials`: apps authenticate by bearer tokens, and a
/// browser then neither sends the administrator's cookie nor shows a response to a request that had
/// it.
package struct CrossOrigin: Sendable {
    /// As browsers serialise them, compared byte by byte.
    private let origins: [String]
    private let acceptsProofs: Bool

    /// Chromium keeps the answer to a preflight no longer.
    package static let maxAgeSeconds = 7200
    /// Beside those that every page can read.
    package static let exposedHeaders = ["retry-after", "www-authenticate"]

    init(_ rules: RequestRules, acceptsProofs: Bool) {
        origins = rules.allowedOrigins
        self.acceptsProofs = acceptsProofs
    }

    /// - Parameter acceptsProofs: of possession of a key (RFC 9449).
    package static func requestHeaders(acceptsProofs: Bool) -> [String] {
        ["authorization", "content-type"] + (acceptsProofs ? ["dpop"] : [])
    }

    func isPreflight(_ request: Request) -> Bool {
        !origins.isEmpty && request.form == .http && request.method.isSame(as: "OPTIONS")
            && request.header("origin") != nil
            && request.header("access-control-request-method") != nil
    }

    /// - Parameter methods: those of the endpoints at the path.
    func preflight(_ request: Request, methods: [String]) -> Answer {
        guard allowedOrigin(request) != nil else { return .noContent }
        let headers = Self.requestHeaders(acceptsProofs: acceptsProofs)
        return Answer(
            204, nil,
            headers: [
                ("access-control-allow-methods", methods.joined(separator: ", ")),
                ("access-control-allow-headers", headers.joined(separator: ", ")),
                ("access-control-max-age", "\(Self.maxAgeSeconds)"),
            ])
    }

    /// Adds what a browser needs to show the response to the page, errors included.
    func mark(_ answer: inout Answer, for request: Request) {
        guard !origins.isEmpty, request.form == .http else { return }
        // Also without an origin, or a cache would give that response to a page.
        answer.headers.append(("vary", "Origin"))
        guard let origin = allowedOrigin(request) else { return }
        answer.headers.append(("access-control-allow-origin", origin))
        guard !isPreflight(request) else { return }
        answer.headers.append(
            ("access-control-expose-headers", Self.exposedHeaders.joined(separator: ", ")))
    }

    private func allowedOrigin(_ request: Request) -> String? {
        guard let origin = request.header("origin") else { return nil }
        return origins.first { $0.isSame(as: origin) }
    }
}

extension AuthOperation {
    /// What logs and metrics call an answer to a preflight, which is no operation of a contract.
    static let preflight = AuthOperation("preflight", counting: [])
}
