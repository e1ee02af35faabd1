import BaseTestSupport
import ProviderTestSupport

/// The log when a service cannot be reached: `signin` with an identity provider that does not exist
/// or has an invalid certificate.
@Suite("Transport failures, with real processes", .hangLimit)
struct TransportFailureTests {
    private let authority: TestAuthority
    private let folder: TemporaryFolder

    init() throws {
        authority = try TestAuthority()
        folder = try TemporaryFolder()
        try folder.write(Array(authority.pem.utf8), to: "authority.pem")
        try folder.write([], to: "empty.pem")
    }

    /// Runs `signin`; returns its status and the lines about requests that failed.
    private func signIn(
        _ provider: TLSProvider, issuer: String? = nil, trusting file: String = "authority.pem"
    ) throws -> (status: Int64, failures: [JSON], keys: [JSON]) {
        let deployment = try Deployment([("SSL_CERT_FILE", folder.file(file))])
        var command = deployment.command("signin", try provider.signInBody())
        // Replaces the deployment's own provider.
        command.environment.removeAll { $0.name.hasPrefix("OIDC_") }
        command.environment += provider.settings
        if let issuer {
            command.environment.removeAll { $0.name == "OIDC_ACME_ISSUER" }
            command.environment.append(("OIDC_ACME_ISSUER", issuer))
            // A token of that issuer, so that its keys are fetched.
            command.input = .bytes(
                Deployment.event("signin", try provider.signInBody(issuedBy: issuer)).serialized)
        }
        let answer = try Answer(ChildProcess.run(command))
        let lines = try answer.errorText.split(separator: "\n").map {
            try JSON.parse(Array($0.utf8), limits: .request)
        }
        return (
            answer.status, lines.filter { $0["event"] == "request_failed" },
            lines.filter { $0["event"] == "provider_keys_unavailable" }
        )
    }

    private func expect(
        _ result: (status: Int64, failures: [JSON], keys: [JSON]), _ reason: JSON, _ detail: String,
        host: String, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == 503, sourceLocation: location)
        // Once, although a discovery document and keys are fetched, or a call is repeated.
        #expect(result.failures.count == 1, "\(result.failures)", sourceLocation: location)
        #expect(
            result.keys.map { $0["host"] } == [.string(host)], "\(result.keys)",
            sourceLocation: location)
        let line = result.failures.first
        #expect(line?["level"] == "error", sourceLocation: location)
        #expect(line?["purpose"] == "identityProvider", sourceLocation: location)
        #expect(line?["host"] == .string(host), sourceLocation: location)
        #expect(line?["reason"] == reason, sourceLocation: location)
        #expect(line?["requestId"]?.stringValue != nil, sourceLocation: location)
        let words = line?["detail"]?.stringValue ?? ""
        #expect(words.contains(detail), "\(words)", sourceLocation: location)
        #expect(line?.objectValue?.members.count == 8, "\(result)", sourceLocation: location)
    }

    private func host(of provider: TLSProvider) -> String {
        String(provider.issuer.dropFirst("https://".count))
    }

    @Test func `a valid certificate of a trusted authority is accepted`() throws {
        let provider = try TLSProvider(authority)
        let result = try signIn(provider)
        expectEqual(result.status, 200)
        #expect(result.failures.isEmpty)
        expectEqual(provider.requests.count, 2)
    }

    @Test(arguments: [
        ("wrongHost", [CertificateHost.name("other.localhost")], TestAuthority.Age.current),
        ("certificateExpired", [.name("localhost")], .expired),
        ("certificateNotYetValid", [.name("localhost")], .future),
        ("unknownAuthority", [.name("localhost")], .current),
    ])
    func `a certificate that is not valid is refused with the reason`(
        reason: String, hosts: [CertificateHost], age: TestAuthority.Age
    ) throws {
        let authority = reason == "unknownAuthority" ? try TestAuthority() : authority
        let provider = try TLSProvider(authority, certifiedFor: hosts, age)
        expect(
            try signIn(provider), .string(reason), "SSL peer certificate", host: host(of: provider))
        #expect(provider.requests.isEmpty)
    }

    @Test func `without a bundle of authorities nothing is accepted`() throws {
        let provider = try TLSProvider(authority)
        expect(
            try signIn(provider, trusting: "missing.pem"), "noAuthorities",
            "SSL_CERT_FILE cannot be read", host: host(of: provider))
        expect(
            try signIn(provider, trusting: "empty.pem"), "noAuthorities", "SSL CA cert",
            host: host(of: provider))
        #expect(provider.requests.isEmpty)
    }

    @Test func `a refused connection is reported as such`() throws {
        let provider = try TLSProvider(authority)
        expect(
            try signIn(provider, issuer: "https://localhost:9"), "connectionRefused",
            "connect", host: "localhost:9")
        // With the transport for this machine.
        expect(
            try signIn(provider, issuer: "http://127.0.0.1:9"), "connectionRefused",
            "Connection refused", host: "127.0.0.1:9")
    }

    @Test func `a name that is not found is reported as such`() throws {
        let provider = try TLSProvider(authority)
        // `EmptyRootNetworkTests` has one that a name server does not know.
        expect(
            try signIn(provider, issuer: "https://\(unknownHost)"), "nameNotResolved",
            "resolve host", host: unknownHost)
    }
}
