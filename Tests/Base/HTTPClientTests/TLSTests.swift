import BaseTestSupport
import HTTPClient

@Suite struct TLSTests {
    private func get(
        _ host: String, _ server: TLSServer, trusting path: String?
    ) throws(HTTPFailure) -> Int {
        let client = CurlTransport(
            trust: CertificateTrust { name in name == "SSL_CERT_FILE" ? path : nil })
        return try client.send(HTTPRequest(.get, "https://\(host):\(server.port)/")).status
    }

    private func isRefused(_ attempt: () throws(HTTPFailure) -> Int) -> Bool {
        do {
            _ = try attempt()
            return false
        } catch {
            guard case .connectFailed = error else { return false }
            return true
        }
    }

    @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func `versions of TLS below 1.2 are refused`(version: String, isSpoken: Bool) throws {
        let server = try TLSServer(
            names: "DNS:localhost", protocolFlags: [version, "-cipher", "DEFAULT@SECLEVEL=0"])
        let isRefused = isRefused { () throws(HTTPFailure) in
            try get("localhost", server, trusting: server.certificatePath)
        }
        expectEqual(isRefused, !isSpoken)
    }
}
