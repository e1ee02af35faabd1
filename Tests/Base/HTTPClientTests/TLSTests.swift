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

    @Test func `a trusted certificate for the requested host is accepted`() throws {
        let server = try TLSServer(names: "DNS:localhost,IP:127.0.0.1")
        try expectEqual(get("localhost", server, trusting: server.certificatePath), 200)
        try expectEqual(get("127.0.0.1", server, trusting: server.certificatePath), 200)
    }

    @Test func `a certificate of an unknown authority is refused`() throws {
        let server = try TLSServer(names: "DNS:localhost")
        #expect(isRefused { () throws(HTTPFailure) in try get("localhost", server, trusting: nil) })
    }

    @Test func `a certificate for another host is refused`() throws {
        let server = try TLSServer(names: "DNS:other.example")
        #expect(
            isRefused { () throws(HTTPFailure) in
                try get("localhost", server, trusting: server.certificatePath)
            })
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
