internal import FunctionRuntime
internal import HTTP
internal import Time

/// What a request to another service is for.
enum RequestPurpose: String, CaseIterable, Sendable {
    case store, storage, secrets, credentials, mail, identityProvider, breachedPasswords
}

/// A request that got no response. Of its URL only the host is kept: a path or a query can be about
/// a user.
struct FailedRequest: Sendable {
    let purpose: RequestPurpose
    let host: String
    let problem: TransportProblem
    /// The words of libcurl, or our own.
    let detail: String
}

/// The way of all requests to other services.
struct OutgoingRequests: Sendable {
    private let transport: HTTPTransport
    private let metrics: ProcessMetrics?
    private let report: @Sendable (FailedRequest) -> Void

    init(
        _ transport: HTTPTransport, metrics: ProcessMetrics? = nil,
        report: @escaping @Sendable (FailedRequest) -> Void
    ) {
        self.transport = transport
        self.metrics = metrics
        self.report = report
    }

    func transport(for purpose: RequestPurpose) -> HTTPTransport {
        HTTPTransport(
            send: { request throws(HTTPFailure) in
                let stopwatch = metrics.map { _ in Stopwatch() }
                defer { measured(purpose, stopwatch) }
                do throws(HTTPFailure) {
                    return try transport.send(request)
                } catch {
                    failed(request, purpose, error)
                    throw error
                }
            },
            sendAll: { requests in
                // Together: they are under way at the same time.
                let stopwatch = metrics.map { _ in Stopwatch() }
                defer { measured(purpose, stopwatch) }
                let outcomes = transport.sendAll(requests)
                for (request, outcome) in zip(requests, outcomes) {
                    if case .failure(let failure) = outcome { failed(request, purpose, failure) }
                }
                return outcomes
            })
    }

    private func measured(_ purpose: RequestPurpose, _ stopwatch: Stopwatch?) {
        if let stopwatch { metrics?.countRequest(purpose, seconds: stopwatch.seconds) }
    }

    private func failed(
        _ request: HTTPRequest, _ purpose: RequestPurpose, _ failure: HTTPFailure
    ) {
        report(
            FailedRequest(
                purpose: purpose, host: Self.host(request.url), problem: failure.problem,
                detail: failure.detail))
    }

    /// With the port, where the URL has one.
    static func host(_ url: String) -> String {
        let bytes = url.utf8
        let marker = Array("://".utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: marker)
        else { return "" }
        let authority = bytes[colon...].dropFirst(marker.count)
            .prefix { !"/?#".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        return String(Substring(host))
    }
}

extension LogEvent {
    fileprivate static let requestFailed = LogEvent("request_failed")
}

extension Log {
    /// A call is repeated a few times: the same reason is written once in each request.
    func report(_ failed: FailedRequest) {
        let text = "\(failed.purpose.rawValue) \(failed.host) \(failed.problem.rawValue)"
        guard RequestScope.current.isNew(text) else { return }
        counted(
            "requestFailures", by: [["purpose"]], .requestFailed,
            [
                ("purpose", .code(failed.purpose)), ("host", .failureDetail(failed.host)),
                ("reason", .code(failed.problem)), ("detail", .failureDetail(failed.detail)),
            ], isError: true)
    }
}
