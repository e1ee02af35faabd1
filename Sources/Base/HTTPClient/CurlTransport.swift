internal import CCurl
package import HTTP
internal import Synchronization

/// Performs HTTP exchanges with libcurl.
///
/// An idle `CurlMulti` is kept, because it owns the open connections: a warm function saves a TCP
/// and a TLS handshake per call. A second caller at the same time gets another `CurlMulti`, so that
/// a long poll never blocks a short request; a function that serves HTTP soon has one for each
/// worker.
package final class CurlTransport: Sendable {
    /// The limit of concurrent requests; the rest of a longer list is sent after these.
    package static let requestsAtOnceMax = 16

    private let trust: CertificateTrust
    private let idle = Mutex<[CurlMulti]>([])

    private static let idleMax = 16

    /// `trust` is called at the first https request, not before.
    package init(trust: CertificateTrust) { self.trust = trust }

    package var transport: HTTPTransport {
        HTTPTransport(
            send: { request throws(HTTPFailure) in try self.send(request) },
            sendAll: { self.sendAll($0) })
    }

    package func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        try sendAll([request])[0].get()
    }

    package func sendAll(_ requests: [HTTPRequest]) -> [HTTPTransport.Outcome] {
        do throws(HTTPFailure) {
            let multi = try takeMulti()
            // The handle is also kept after a failed exchange: libcurl has closed its connection.
            defer { giveBack(multi) }
            var outcomes: [HTTPTransport.Outcome] = []
            for start in stride(from: 0, to: requests.count, by: Self.requestsAtOnceMax) {
                let end = min(start + Self.requestsAtOnceMax, requests.count)
                outcomes += multi.perform(requests[start..<end], trust: trust)
            }
            return outcomes
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    private func takeMulti() throws(HTTPFailure) -> CurlMulti {
        let kept = idle.withLock { $0.popLast() }
        guard let kept else { return try CurlMulti() }
        return kept
    }

    private func giveBack(_ multi: CurlMulti) {
        idle.withLock { if $0.count < Self.idleMax { $0.append(multi) } }
    }
}
