package import HTTP
internal import Synchronization

/// Sends plain HTTP to this machine by `LocalHTTPTransport`, and everything else by another
/// transport.
///
/// The emulator, other services of a developer and some sources of AWS credentials are on this
/// machine: for these, libcurl costs more than the exchange itself.
package final class LocalHTTPRoutes: Sendable {
    private let other: HTTPTransport
    /// The transports, by authority, such as `127.0.0.1:8001`.
    private let transports = Mutex<[String: LocalHTTPTransport]>([:])

    private static let transportsMax = 16

    package init(otherwise other: HTTPTransport) { self.other = other }

    package var transport: HTTPTransport {
        HTTPTransport(
            send: { request throws(HTTPFailure) in
                try (self.local(request) ?? self.other).send(request)
            },
            sendAll: { requests in
                // Requests of one call usually go to the same service.
                guard let first = requests.first, let local = self.local(first),
                    requests.allSatisfy({ self.authority(of: $0) == self.authority(of: first) })
                else { return self.other.sendAll(requests) }
                return local.sendAll(requests)
            })
    }

    /// The authority of a URL that `LocalHTTPTransport` may accept; its own parser decides.
    private func authority(of request: HTTPRequest) -> String? {
        let scheme = "http://"
        let url = request.url.utf8
        // A HEAD response announces the length of a body that it does not have. A URL with a
        // fragment is left to the other transport, which refuses it.
        guard request.method != .head, url.starts(with: scheme.utf8),
            !url.contains(UInt8(ascii: "#"))
        else { return nil }
        let rest = url.dropFirst(scheme.utf8.count)
        guard let end = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(Substring(rest[..<end]))
    }

    private func local(_ request: HTTPRequest) -> HTTPTransport? {
        guard let authority = authority(of: request) else { return nil }
        return transports.withLock { transports in
            if let known = transports[authority] { return known.transport }
            guard transports.count < Self.transportsMax,
                let made = LocalHTTPTransport(authority: authority)
            else { return nil }
            transports[authority] = made
            return made.transport
        }
    }
}
