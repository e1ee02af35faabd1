internal import FunctionRuntime
internal import HTTP
internal import Time

/// The purpose of a request to another service.
enum RequestPurpose: String, CaseIterable, Sendable {
    case store, storage, secrets, credentials, mail, identityProvider, breachedPasswords
    case webhooks, hookFunction, hookURL, clientDocument
    case logoutNotice

    /// Whether the request goes to an AWS service, in the operator's own account.
    var isOfAWS: Bool {
        switch self {
        case .store, .storage, .secrets, .mail, .hookFunction: true
        // The credentials endpoint of a container expects only its token.
        case .credentials, .identityProvider, .breachedPasswords, .webhooks, .hookURL,
            .clientDocument, .logoutNotice:
            false
        }
    }

    /// Whether the setting `TRACE_PROVIDERS` decides if the request contains the trace header.
    var isTracedByChoice: Bool {
        [.identityProvider, .webhooks, .logoutNotice].contains(self)
    }
}

/// A request without a response. Only the host of its URL is kept: a path or a query can contain
/// user data.
struct FailedRequest: Sendable {
    let purpose: RequestPurpose
    let host: String
    let problem: TransportProblem
    /// The error text of libcurl, or our own.
    let detail: String
}

/// Wraps the transport of all requests to other services, for logs, metrics and traces.
struct OutgoingRequests: Sendable {
    private let transport: HTTPTransport
    private let metrics: ProcessMetrics?
    private let tracesProviders: Bool
    private let report: @Sendable (FailedRequest) -> Void

    /// - Parameter tracesProviders: whether requests to identity providers, and requests to the
    ///   servers of apps, contain the trace header.
    init(
        _ transport: HTTPTransport, metrics: ProcessMetrics? = nil, tracesProviders: Bool = false,
        report: @escaping @Sendable (FailedRequest) -> Void
    ) {
        self.transport = transport
        self.metrics = metrics
        self.tracesProviders = tracesProviders
        self.report = report
    }

    func transport(for purpose: RequestPurpose) -> HTTPTransport {
        HTTPTransport(
            send: { request throws(HTTPFailure) in
                let stopwatch = metrics.map { _ in Stopwatch() }
                defer { measured(purpose, stopwatch) }
                do throws(HTTPFailure) {
                    return try transport.send(traced(request, purpose))
                } catch {
                    failed(request, purpose, error)
                    throw error
                }
            },
            sendAll: { requests in
                // The requests are measured together, because they run at the same time.
                let stopwatch = metrics.map { _ in Stopwatch() }
                defer { measured(purpose, stopwatch) }
                let outcomes = transport.sendAll(requests.map { traced($0, purpose) })
                for (request, outcome) in zip(requests, outcomes) {
                    if case .failure(let failure) = outcome { failed(request, purpose, failure) }
                }
                return outcomes
            })
    }

    /// The trace header is not part of the signature, because proxies may change it (as in the SDKs
    /// of AWS).
    private func traced(_ request: HTTPRequest, _ purpose: RequestPurpose) -> HTTPRequest {
        guard let trace = RequestScope.current.trace else { return request }
        var request = request
        if purpose.isOfAWS {
            request.headers.append(HTTPHeader("X-Amzn-Trace-Id", trace.amazonHeader))
        } else if purpose.isTracedByChoice, tracesProviders {
            request.headers.append(HTTPHeader("traceparent", trace.traceparent))
        }
        return request
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

    /// The host of a URL, with its port if the URL has one.
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
    /// A call may be retried: the same reason is logged once per request.
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
