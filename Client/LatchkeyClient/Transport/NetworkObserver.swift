internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Collects responses up to their size limits, and refuses redirects.
final class NetworkObserver: NSObject, URLSessionDataDelegate {
    typealias Outcome = Result<HTTPResponse, TransportError>

    private struct Reception {
        let bytesMax: Int
        let report: @Sendable (Outcome) -> Void
        var body = Data()
    }

    /// The responses that are being received, by the identifier of their task.
    private let receptions = Guarded<[Int: Reception]>([:])

    /// - Parameter report: is called once.
    func follow(
        _ task: URLSessionTask, bytesMax: Int, _ report: @escaping @Sendable (Outcome) -> Void
    ) {
        let number = task.taskIdentifier
        receptions.change { $0[number] = Reception(bytesMax: bytesMax, report: report) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        let refused = receptions.change { receptions -> Reception? in
            guard let reception = receptions[number] else { return nil }
            guard reception.body.count + data.count <= reception.bytesMax else {
                return receptions.removeValue(forKey: number)
            }
            receptions[number]?.body.append(data)
            return nil
        }
        refused?.report(.failure(.answerTooLarge))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let number = task.taskIdentifier
        guard let ended = receptions.change({ $0.removeValue(forKey: number) }) else { return }
        if let error { return ended.report(.failure(Self.reason(of: error))) }
        guard let response = task.response as? HTTPURLResponse else {
            return ended.report(.failure(.lost))
        }
        let headers = response.allHeaderFields as? [String: String] ?? [:]
        ended.report(
            .success(
                HTTPResponse(status: response.statusCode, headers: headers, body: ended.body)))
    }

    /// Reports a request as not sent only if the request cannot have reached the server.
    static func reason(of error: any Error) -> TransportError {
        switch (error as? URLError)?.code {
        case .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed,
            .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed,
            .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
            .notSent
        case .cancelled: .cancelled
        case .dataLengthExceedsMaximum: .answerTooLarge
        default: .lost
        }
    }
}
