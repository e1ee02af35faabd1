import BaseTestSupport
import HTTPClient

@Suite struct CertificateTrustTests {
    private typealias Location = CertificateTrust.Location

    private func location(
        _ environment: [String: String] = [:], readable: Set<String>
    ) throws(HTTPFailure) -> CertificateTrust.Location {
        try CertificateTrust(
            variable: { environment[$0] }, isReadable: { readable.contains($0) }
        ).certificates()
    }

    @Test(arguments: [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ])
    func `the bundle of each distribution is found`(path: String) throws {
        try expectEqual(location(readable: [path]), Location(file: path))
    }

    @Test
    func `environment variables have priority over the distribution, a file over a directory`()
        throws
    {
        let readable: Set = ["/a", "/b", "/c", "/etc/ssl/cert.pem"]
        var environment = ["SSL_CERT_DIR": "/c"]
        try expectEqual(location(environment, readable: readable), Location(directory: "/c"))
        environment["CURL_CA_BUNDLE"] = "/b"
        try expectEqual(location(environment, readable: readable), Location(file: "/b"))
        environment["SSL_CERT_FILE"] = "/a"
        try expectEqual(location(environment, readable: readable), Location(file: "/a"))
    }

    @Test func `an empty variable counts as unset`() throws {
        try expectEqual(
            location(["SSL_CERT_FILE": ""], readable: ["/etc/ssl/cert.pem"]),
            Location(file: "/etc/ssl/cert.pem"))
    }

    @Test(arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "SSL_CERT_DIR"])
    func `a configured path that cannot be read is an error, without a fallback`(name: String) {
        #expect(throws: HTTPFailure.connectFailed(.noAuthorities, detail: "\(name) cannot be read"))
        {
            try location([name: "/nowhere"], readable: ["/etc/ssl/cert.pem"])
        }
    }

    @Test func `missing authorities are reported`() {
        #expect(
            throws: HTTPFailure.connectFailed(
                .noAuthorities,
                detail: "no certificate authorities found; set SSL_CERT_FILE to a bundle")
        ) { try location(readable: []) }
    }
}
