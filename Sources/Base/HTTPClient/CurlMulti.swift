internal import CCurl
internal import Glibc
internal import HTTP
internal import Threads

/// A libcurl multi handle, which owns open connections, and the easy handles that use them.
///
/// Unchecked Sendable: libcurl-thread(3) allows moving a handle between threads as long as only one
/// uses it at a time, and `CurlTransport` gives it to one caller at a time.
final class CurlMulti: @unchecked Sendable {
    /// Connections kept open between calls.
    private static let idleConnectionsMax = 16
    /// An upper limit of the wait. libcurl returns earlier when there is something to do.
    private static let pollMillisecondsMax: Int32 = 1000

    private let multi: UnsafeMutableRawPointer
    private var idle: [CurlHandle] = []

    init() throws(HTTPFailure) {
        guard Self.isStarted, let multi = curl_multi_init() else {
            throw .connectFailed(detail: "libcurl did not start")
        }
        self.multi = multi
        // libcurl's default depends on the number of requests under way.
        guard latchkey_curl_keep_connections(multi, Self.idleConnectionsMax) == CURLM_OK else {
            curl_multi_cleanup(multi)
            throw .connectFailed(detail: "libcurl did not start")
        }
    }

    deinit { curl_multi_cleanup(multi) }

    // libcurl is initialised once, at the first request: a function without requests starts without
    // libcurl. With CURLOPT_NOSIGNAL, libcurl does not block SIGPIPE. A TLS peer that closes the
    // connection while we write would then end the process, so the signal is ignored.
    static let isStarted: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return latchkey_curl_start() == CURLE_OK
    }()

    /// Performs the exchanges concurrently; the results are in the order of the requests.
    func perform(
        _ requests: ArraySlice<HTTPRequest>, trust: CertificateTrust
    ) -> [HTTPTransport.Outcome] {
        var exchanges = requests.map { begin($0, trust: trust) }
        defer { for case .running(let handle) in exchanges { end(handle) } }
        while exchanges.contains(where: \.isRunning) {
            var running: Int32 = 0
            var code = curl_multi_perform(multi, &running)
            collect(into: &exchanges)
            if code == CURLM_OK, running > 0 {
                code = Waiting.during {
                    curl_multi_poll(multi, nil, 0, Self.pollMillisecondsMax, nil)
                }
            }
            // Without an error, every exchange that is no longer running has been collected.
            if code != CURLM_OK || running == 0 { abandon(&exchanges) }
        }
        return exchanges.map { exchange in
            switch exchange {
            case .done(let outcome): outcome
            case .running: .failure(Self.abandoned)
            }
        }
    }

    private static let abandoned = HTTPFailure.interrupted(detail: "libcurl gave up")

    private enum Exchange {
        case running(CurlHandle)
        case done(HTTPTransport.Outcome)

        var isRunning: Bool {
            if case .running = self { true } else { false }
        }
    }

    private func begin(_ request: HTTPRequest, trust: CertificateTrust) -> Exchange {
        do throws(HTTPFailure) {
            let handle = if let kept = idle.popLast() { kept } else { try CurlHandle() }
            do throws(HTTPFailure) {
                try handle.prepare(request, trust: trust)
                guard curl_multi_add_handle(multi, handle.curl) == CURLM_OK else {
                    throw .connectFailed(detail: "libcurl did not accept the request")
                }
            } catch {
                end(handle)
                throw error
            }
            return .running(handle)
        } catch {
            return .done(.failure(error))
        }
    }

    /// Takes the results of the exchanges that have finished.
    private func collect(into exchanges: inout [Exchange]) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // Copied, because removing the handle frees the message.
            let (curl, code) = (message.pointee.easy_handle, message.pointee.data.result)
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            for index in exchanges.indices {
                guard case .running(let handle) = exchanges[index], handle.curl == curl else {
                    continue
                }
                let outcome = Result { () throws(HTTPFailure) in try handle.response(of: code) }
                end(handle)
                exchanges[index] = .done(outcome)
            }
        }
    }

    private func abandon(_ exchanges: inout [Exchange]) {
        for index in exchanges.indices {
            guard case .running(let handle) = exchanges[index] else { continue }
            end(handle)
            exchanges[index] = .done(.failure(Self.abandoned))
        }
    }

    private func end(_ handle: CurlHandle) {
        // Has no effect for a handle that was not added.
        curl_multi_remove_handle(multi, handle.curl)
        handle.reset()
        idle.append(handle)
    }
}
