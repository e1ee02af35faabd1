internal import CCurl
package import HTTP
internal import Synchronization

/// Performs HTTP exchanges with libcurl.
///
/// One idle easy handle is kept, because the handle owns the open connections: a warm function
/// saves a TCP and a TLS handshake per call. A second caller at the same moment gets a handle of
/// its own, so that a long poll never blocks a short request.
package final class CurlTransport: Sendable {
    private let trust: CertificateTrust
    private let idle = Mutex<CurlHandle?>(nil)

    /// `trust` is asked at the first https request, not before.
    package init(trust: CertificateTrust) { self.trust = trust }

    package var transport: HTTPTransport {
        HTTPTransport { request throws(HTTPFailure) in try self.send(request) }
    }

    package func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        let target = try RequestTarget(request.url)
        let headers = try HeaderLines(request)
        let handle = try takeHandle()
        // A handle is kept after a failed exchange too: libcurl has closed its connection.
        defer { giveBack(handle) }
        return try handle.perform(request, to: target, headers: headers, trust: trust)
    }

    private func takeHandle() throws(HTTPFailure) -> CurlHandle {
        let kept = idle.withLock { slot in
            defer { slot = nil }
            return slot
        }
        guard let kept else { return try CurlHandle() }
        return kept
    }

    private func giveBack(_ handle: CurlHandle) {
        idle.withLock { $0 = $0 ?? handle }
    }
}
