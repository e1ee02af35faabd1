internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime

/// Requests that a page of another origin sends with `fetch` (Fetch Standard, "CORS protocol").
///
/// `Access-Control-Allow-Credentials` is not sent: apps authenticate with bearer tokens. Without
/// it, pages cannot read responses to requests that include the administrator's cookie.
package struct CrossOrigin: Sendable {
    /// The origins in `ALLOWED_ORIGINS`, as browsers serialise them, compared byte by byte.
    private let origins: [String]
    /// The origins of the provider's clients.
    private let clients: [String]
    /// Whether anyone may register a client.
    private let admitsAnyClient: Bool
    private let acceptsProofs: Bool
    private let asksHooks: Bool

    /// The longest time that Chromium caches the response to a preflight.
    package static let maxAgeSeconds = 7200
    /// The response headers that pages may read, in addition to those that every page can read.
    /// With `Date`, a page on a machine with a wrong clock writes proofs with the right time.
    package static func exposedHeaders(acceptsProofs: Bool) -> [String] {
        ["date"] + (acceptsProofs ? ["dpop-nonce"] : []) + ["retry-after", "www-authenticate"]
    }

    init(
        _ rules: RequestRules, _ oauth: OAuthServices?, acceptsProofs: Bool, asksHooks: Bool
    ) {
        origins = rules.allowedOrigins
        clients = oauth?.clientOrigins ?? []
        admitsAnyClient = oauth?.registration == .open
        self.acceptsProofs = acceptsProofs
        self.asksHooks = asksHooks
    }

    /// - Parameters:
    ///   - acceptsProofs: whether DPoP proofs are accepted (RFC 9449).
    ///   - asksHooks: whether the header `Bot-Proof` is passed to hooks.
    package static func requestHeaders(acceptsProofs: Bool, asksHooks: Bool) -> [String] {
        ["authorization", "content-type"] + (asksHooks ? ["bot-proof"] : [])
            + (acceptsProofs ? ["dpop"] : [])
    }

    private func admitsAny(_ admitted: AdmittedOrigins) -> Bool {
        !origins.isEmpty || admitted != .listed
    }

    func isPreflight(_ request: Request, _ admitted: AdmittedOrigins) -> Bool {
        admitsAny(admitted) && request.form == .http && request.method.isSame(as: "OPTIONS")
            && request.header("origin") != nil
            && request.header("access-control-request-method") != nil
    }

    /// - Parameter methods: the methods of the endpoints at the path.
    func preflight(
        _ request: Request, methods: [String], _ admitted: AdmittedOrigins
    ) -> Answer {
        guard allowedOrigin(request, admitted) != nil else { return .noContent }
        let headers = Self.requestHeaders(
            acceptsProofs: acceptsProofs, asksHooks: asksHooks)
        return Answer(
            204, nil,
            headers: [
                ("access-control-allow-methods", methods.joined(separator: ", ")),
                ("access-control-allow-headers", headers.joined(separator: ", ")),
                ("access-control-max-age", "\(Self.maxAgeSeconds)"),
            ])
    }

    /// Adds the headers with which a browser lets the page read the response, including errors.
    func mark(_ answer: inout Answer, for request: Request, _ admitted: AdmittedOrigins) {
        guard admitsAny(admitted), request.form == .http else { return }
        if admitted == .everyone {
            if answer.status < 400 {
                answer.headers.append(("access-control-allow-origin", "*"))
            }
            return
        }
        // `Vary` is sent even without an origin: otherwise a cache could serve that response to a
        // page.
        answer.headers.append(("vary", "Origin"))
        guard let origin = allowedOrigin(request, admitted) else { return }
        answer.headers.append(("access-control-allow-origin", origin))
        guard !isPreflight(request, admitted) else { return }
        let exposed = Self.exposedHeaders(acceptsProofs: acceptsProofs)
        answer.headers.append(
            ("access-control-expose-headers", exposed.joined(separator: ", ")))
    }

    private func allowedOrigin(_ request: Request, _ admitted: AdmittedOrigins) -> String? {
        guard let origin = request.header("origin") else { return nil }
        if admitted == .everyone { return "*" }
        let isOfClient = admitted == .clientOrigins
        if isOfClient, admitsAnyClient, !origin.isSame(as: "null") { return origin }
        let all = isOfClient ? origins + clients : origins
        return all.first { $0.isSame(as: origin) }
    }
}

extension AuthOperation {
    /// The name of preflight requests in logs and metrics. They are not an operation of a contract.
    static let preflight = AuthOperation("preflight", counting: [])
}
