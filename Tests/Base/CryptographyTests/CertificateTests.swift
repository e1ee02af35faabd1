import BaseTestSupport

/// Verified with `openssl verify` in strict mode.
@Suite("Certificates") struct CertificateTests {
    private let now = WallClock.system.now()
    private let authority: CertificateAuthority
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        authority = try .make(
            limitedTo: [.name("localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback],
            validity: now - .hours(1)..<now + .days(10), random: .seeded(1))
        try folder.write(Array(authority.certificate.pem.utf8), to: "ca.pem")
    }

    private func issue(
        _ hosts: [CertificateHost], validity: Range<Instant>? = nil
    ) throws -> Certificate {
        try authority.issue(
            to: .generate(random: .seeded(2)), name: "server", hosts: hosts,
            validity: validity ?? now - .hours(1)..<now + .days(1), random: .seeded(3))
    }

    private func verify(_ certificate: Certificate, _ arguments: String...) throws -> ProcessResult
    {
        try folder.write(Array(certificate.pem.utf8), to: "leaf.pem")
        return try ChildProcess.run(
            Command(
                "/usr/bin/openssl",
                ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile"]
                    + [folder.file("ca.pem")] + arguments + [folder.file("leaf.pem")]))
    }

    @Test(arguments: [
        (["-verify_hostname", "localhost"], true), (["-verify_hostname", "a.b.localhost"], true),
        (["-verify_ip", "127.0.0.1"], true), (["-verify_ip", "::1"], true),
        (["-verify_hostname", "example.com"], false), (["-verify_ip", "127.0.0.2"], false),
        (["-verify_hostname", "b.localhost"], false),
    ])
    func `a server's certificate is valid for its hosts only`(check: [String], isGood: Bool) throws
    {
        let leaf = try issue([
            .name("localhost"), .name("*.b.localhost"), .ipv4(127, 0, 0, 1), .ipv6Loopback,
        ])
        try expectEqual(verify(leaf, check[0], check[1]).end == .exit(0), isGood)
    }

    @Test(arguments: [
        CertificateHost.name("example.com"), .name("notlocalhost"), .name("localhost.example.com"),
        .ipv4(127, 0, 0, 2), .ipv4(10, 0, 0, 1),
    ])
    func `the authority's name constraints exclude other hosts`(host: CertificateHost) throws {
        let result = try verify(issue([host]))
        #expect(result.end != .exit(0))
        #expect(result.errorText.contains("permitted subtree violation"))
    }

    @Test func `an intermediate authority is refused`() throws {
        let key = try P256PrivateKey.generate(random: .seeded(2))
        let leaf = try issue([.name("localhost")])
        #expect(throws: CryptoFailure.invalidKey) {
            _ = try CertificateAuthority(certificate: leaf, key: key)
        }
        #expect(throws: CryptoFailure.invalidKey) {
            _ = try CertificateAuthority(certificate: authority.certificate, key: key)
        }
    }

    @Test func `a certificate is only valid between its dates`() throws {
        let future = try issue([.name("localhost")], validity: now + .hours(1)..<now + .days(1))
        #expect(try verify(future).errorText.contains("not yet valid"))
        let past = try issue([.name("localhost")], validity: now - .hours(1)..<now - .hours(0))
        #expect(try verify(past).errorText.contains("has expired"))
    }

    @Test func `a certificate's dates and signer can be read from its file`() throws {
        let first = Instant(seconds: 1_790_000_000)
        for last in [first + .days(1), Instant(seconds: 2_600_000_000)] {
            let leaf = try Certificate(pem: issue([.name("localhost")], validity: first..<last).pem)
            expectEqual(leaf.validity, first...last)
            #expect(leaf.isSigned(by: authority.certificate))
            #expect(!leaf.isSigned(by: leaf))
            #expect(leaf.names([.name("localhost")]))
            #expect(!leaf.names([.name("localhost"), .ipv6Loopback]))
            #expect(!leaf.names([]))
            #expect(try leaf.belongs(to: .generate(random: .seeded(2))))
            #expect(!leaf.belongs(to: authority.key))
        }
    }

    @Test func `serial numbers are random`() throws {
        var serials: Set<String> = []
        for seed in 0..<20 {
            let leaf = try authority.issue(
                to: authority.key, name: "a", hosts: [.name("localhost")],
                validity: now..<now + .days(1), random: .seeded(UInt64(seed)))
            try folder.write(Array(leaf.pem.utf8), to: "leaf.pem")
            let text = try ChildProcess.run(
                Command(
                    "/usr/bin/openssl",
                    ["x509", "-noout", "-serial", "-in", folder.file("leaf.pem")])
            ).text
            expectEqual(text.utf8.count, "serial=\n".utf8.count + 32)
            serials.insert(text)
        }
        expectEqual(serials.count, 20)
    }

    @Test(arguments: [
        "", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ])
    func `an invalid certificate is refused`(text: String) {
        #expect(throws: CryptoFailure.malformed) { _ = try Certificate(pem: text) }
    }

    @Test func `invalid hosts are refused, and so is an empty list`() {
        for hosts in [[], [.name("a,DNS:b")], [.name("localhost"), .name("a b")]]
            as [[CertificateHost]]
        {
            #expect(throws: CryptoFailure.malformed) { _ = try issue(hosts) }
        }
    }
}
