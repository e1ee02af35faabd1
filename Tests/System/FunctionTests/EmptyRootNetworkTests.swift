import BaseTestSupport
import ProviderTestSupport

/// TLS and name resolution of the executables that ship, in an empty root: they read its
/// `resolv.conf` and its bundle of authorities, and nothing of the machine.
@Suite("Network in an empty root", .enabled(if: BuiltExecutables.areShipped), .hangLimit)
struct EmptyRootNetworkTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// Runs `signin` in the root; returns the status, and the line about a request that failed.
    private func signIn(
        _ provider: TLSProvider, _ root: EmptyRoot
    ) throws -> (status: Int64?, failure: JSON?) {
        let event: JSON = [
            "version": "2.0", "rawPath": "/auth/signin", "rawQueryString": "",
            "headers": ["content-type": "application/json"],
            "requestContext": [
                "http": ["method": "POST", "path": "/auth/signin"], "stage": "$default",
            ],
            "body": .string(try provider.signInBody().text), "isBase64Encoded": false,
        ]
        let folder = try TemporaryFolder()
        var command = Command(root.path(of: "signin"))
        command.environment = provider.settings + [("STORE", "sqlite:latchkey.db")]
        command.input = .bytes(event.serialized)
        let result = try ChildProcess.run(command.working(in: folder))
        let output = try JSON.parse(result.output, limits: .event)
        let lines = result.errorLines.compactMap {
            try? JSON.parse(Array($0.utf8), limits: .request)
        }
        return (output["statusCode"]?.int64Value, lines.first { $0["event"] == "request_failed" })
    }

    @Test func `a server with a certificate of an authority in the root is accepted`() throws {
        let root = try EmptyRoot(["signin"], authorities: authority.pem)
        let result = try signIn(try TLSProvider(authority), root)
        expectEqual(result.status, 200, "\(result)")
        expectEqual(result.failure, nil)
    }

    @Test func `a wrong host and an expired certificate are refused`() throws {
        let root = try EmptyRoot(["signin"], authorities: authority.pem)
        let wrong = try signIn(
            try TLSProvider(authority, certifiedFor: [.name("other.localhost")]), root)
        expectEqual(wrong.status, 503)
        expectEqual(wrong.failure?["reason"], "wrongHost", "\(wrong)")
        let expired = try signIn(try TLSProvider(authority, .expired), root)
        expectEqual(expired.status, 503)
        expectEqual(expired.failure?["reason"], "certificateExpired", "\(expired)")
    }

    @Test func `without a bundle in the root the log reports what is missing`() throws {
        let result = try signIn(try TLSProvider(authority), try EmptyRoot(["signin"]))
        expectEqual(result.status, 503)
        expectEqual(result.failure?["reason"], "noAuthorities")
        expectEqual(
            result.failure?["detail"],
            "no certificate authorities found; set SSL_CERT_FILE to a bundle")
    }

    @Test(
        .enabled(
            if: TestNameServer.isPossible,
            "a name server needs port 53, which only root may bind here"))
    func `names are resolved by the name server of the root's resolv.conf`() throws {
        let names = try TestNameServer(resolving: TestAuthority.domain)
        let root = try EmptyRoot(["signin"], nameServer: names.address, authorities: authority.pem)
        let known = try signIn(try TLSProvider(authority, host: TestAuthority.domain), root)
        expectEqual(known.status, 200, "\(known)")
        let unknown = try signIn(try TLSProvider(authority, host: "unknown.test"), root)
        expectEqual(unknown.status, 503)
        expectEqual(unknown.failure?["reason"], "nameNotResolved", "\(unknown)")
    }
}
