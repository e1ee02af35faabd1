import BaseTestSupport
import Glibc
import HTTPClient

/// Each test runs in its own process, because the proxy is an environment variable.
@Suite struct ProxyTests {
    @Test func `a proxy from the environment is used for other hosts`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { seen in
                HTTPResponse(status: 200, body: Array(seen.target.utf8))
            }
            setenv("http_proxy", proxy.url, 1)
            let client = CurlTransport(trust: CertificateTrust { _ in nil })
            let response = try client.send(HTTPRequest(.get, "http://elsewhere.invalid/a"))
            expectEqual(
                String(decoding: response.body, as: UTF8.self), "http://elsewhere.invalid/a")
            exit(proxy.requests.count == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func `this machine is never reached through a proxy`() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in HTTPResponse(status: 200) }
            // Nothing listens on this port.
            setenv("http_proxy", "http://127.0.0.1:1", 1)
            let client = CurlTransport(trust: CertificateTrust { _ in nil })
            for host in ["127.0.0.1", "localhost"] {
                let url = "http://\(host):\(server.port)/"
                guard try client.send(HTTPRequest(.get, url)).status == 200 else {
                    exit(EXIT_FAILURE)
                }
            }
            exit(EXIT_SUCCESS)
        }
    }

    @Test func `an upper-case HTTP_PROXY is ignored`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in HTTPResponse(status: 200) }
            setenv("HTTP_PROXY", proxy.url, 1)
            let client = CurlTransport(trust: CertificateTrust { _ in nil })
            _ = try? client.send(HTTPRequest(.get, "http://\(unknownHost)/"))
            exit(proxy.requests.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
