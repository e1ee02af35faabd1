package import Foundation

extension LatchkeyClient {
    /// The server's origin, to which the tokens belong.
    nonisolated var origin: String { Self.origin(of: baseURL) ?? "" }

    static func origin(of url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased(),
            !host.isEmpty
        else { return nil }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host):\(port)"
    }

    /// Refuses to send secrets in the clear, except to this machine.
    nonisolated func checkScheme(of url: URL) throws(AuthError) {
        guard url.isProtected(orAllowed: options.allowsInsecureHTTP) else {
            throw .unsupported("a server without HTTPS")
        }
    }

    private nonisolated func route(_ operation: ClientOperation) throws(AuthError) -> Route {
        guard let route = contract.routes[operation] else {
            throw .unsupported("\(operation.rawValue) in \(contract.name)")
        }
        return route
    }

    /// The URL of an operation.
    nonisolated func url(
        _ operation: ClientOperation, id: String? = nil, query: [String: String] = [:]
    ) throws(AuthError) -> URL {
        var path = try route(operation).path
        try checkScheme(of: baseURL)
        var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
        let prefix = parts?.percentEncodedPath ?? ""
        if let id { path = path.replacing("{id}", with: FormEncoding.escape(id)) }
        parts?.percentEncodedPath =
            (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + path
        if !query.isEmpty {
            parts?.percentEncodedQuery = FormEncoding.text(query.sorted { $0.key < $1.key })
        }
        guard let url = parts?.url else { throw .unsupported("the base URL") }
        return url
    }

    /// The request for an operation. Throws `unsupported` if the contract does not have the
    /// operation.
    func request(
        _ operation: ClientOperation, id: String? = nil, query: [String: String] = [:],
        body: JSON? = nil
    ) async throws(AuthError) -> HTTPRequest {
        let url = try url(operation, id: id, query: query)
        let method = try route(operation).method
        var request = HTTPRequest(
            method, url, headers: ["Accept": "application/json"],
            timeout: options.requestTimeout, answerBytesMax: 4 << 20)
        request.body = body?.bytes ?? (method == "POST" ? Data("{}".utf8) : nil)
        if request.body != nil { request.headers["Content-Type"] = "application/json" }
        return try await proving(request, accessToken: nil)
    }

    /// Sends a request, and returns the response, whatever its status.
    func response(to request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        try await exchange(request).mapError { AuthError($0) }.get()
    }

    /// Sends a request, and stops waiting at its timeout even if the transport hangs.
    func exchange(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportError> {
        await race(
            request.timeout, on: clock, late: .failure(.lost), cancelled: .failure(.cancelled)
        ) { [transport] in
            do throws(TransportError) {
                return .success(try await transport.send(request))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// A successful response.
struct Answer: Sendable {
    let status: Int
    /// null if the answer has no body.
    let body: JSON
    let response: HTTPResponse
    let sentAt: Duration
    /// The ID of the session to which the request belongs.
    var session: String?
}

extension LatchkeyClient {
    /// Calls an operation without a session.
    func callOpen(
        _ operation: ClientOperation, body: JSON? = nil, query: [String: String] = [:]
    ) async throws(AuthError) -> Answer {
        let request = try await request(operation, query: query, body: body)
        let sentAt = clock.uptime()
        return try answer(try await response(to: request), sentAt, nil)
    }

    /// Calls an operation as the signed-in user.
    func call(
        _ operation: ClientOperation, id: String? = nil, query: [String: String] = [:],
        body: JSON? = nil
    ) async throws(AuthError) -> Answer {
        let request = try await request(operation, id: id, query: query, body: body)
        let sentAt = clock.uptime()
        // The server also responds with 401 to an invalid token in the body, but without a
        // challenge.
        let (response, session) = try await sendSigned(request, needsChallenge: true)
        return try answer(response, sentAt, session)
    }

    private func answer(
        _ response: HTTPResponse, _ sentAt: Duration, _ session: String?
    ) throws(AuthError) -> Answer {
        let body = response.body.isEmpty ? JSON.null : JSON(response.body)
        guard (200..<300).contains(response.status) else {
            throw AuthError(response, contract.problem(ErrorBody(json: body)))
        }
        guard let body else { throw .unavailable(retryAfter: nil) }
        return Answer(
            status: response.status, body: body, response: response, sentAt: sentAt,
            session: session)
    }
}

extension URL {
    /// Whether nobody on the network can read requests to this URL: HTTPS, or this machine.
    package func isProtected(orAllowed isAllowed: Bool) -> Bool {
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host()?.lowercased())
        return (isLocal || isAllowed ? ["http", "https"] : ["https"]).contains(scheme?.lowercased())
    }
}
