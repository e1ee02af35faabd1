import Foundation
import TestSupport

/// Caddy in front of the server, with the configuration that docs/one-machine.md writes: only the
/// names differ, and Caddy's own authority issues the certificate.
@Suite("Caddy in front", .enabled(if: caddy != nil, "caddy is not installed"), .hangLimit)
struct CaddyTests {
    private static let document = "docs/one-machine.md"

    @Test func `the documented configuration has HTTPS, and counts client addresses`() throws {
        let folder = try TemporaryFolder()
        var command = Command(BuiltExecutables.path(of: "latchkey"), ["--listen", "127.0.0.1:0"])
        command.environment = [
            ("TRUSTED_HOPS", "1"), ("RATE_LIMITS", "challenge.address=2/86400"),
        ]
        command.input = .closed
        let server = try HTTPProcess(command.working(in: folder))

        let port = try FreePort.find()
        let shown = try Self.configuration()
        #expect(shown.split(separator: "\n").count == 3)
        let global =
            "{\n    admin off\n    local_certs\n    skip_install_trust\n"
            + "    auto_https disable_redirects\n}\n"
        let own = shown.replacing("auth.example.com", with: "localhost:\(port)")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
        try folder.write(Array((global + own).utf8), to: "Caddyfile")
        var front = Command(try #require(caddy), ["run", "--config", folder.file("Caddyfile")])
        front.environment = [("HOME", folder.path), ("XDG_DATA_HOME", folder.path)]
        front.input = .closed
        let proxy = try ChildProcess(front)
        defer { proxy.kill(SIGKILL) }

        // A client can send any address in the header; only the one that Caddy adds counts.
        var client = Command(
            "/usr/bin/env",
            [
                "python3", "-c", Self.client, "\(port)",
                folder.file("caddy/pki/authorities/local/root.crt"),
            ])
        client.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        let result = try ChildProcess.run(client)
        #expect(result.text == "200 200 429\n", "\(result.errorText) \(proxy.textSoFar.error)")
        #expect(server.end().end == .exit(0))
    }

    private static func configuration() throws -> String {
        let text = try String(
            contentsOf: RepositoryRoot.url.appending(path: document), encoding: .utf8)
        let shown = try #require(
            text.firstMatch(of: /printf '%s\\n' '(.*)' >> \/etc\/caddy\/Caddyfile/))
        return shown.1.replacing("' '", with: "\n") + "\n"
    }

    private static let client = """
        import ssl, sys, time, urllib.error, urllib.request
        url = "https://localhost:%s/auth/challenge" % sys.argv[1]
        def ask(address):
            request = urllib.request.Request(url, b"{}", {
                "Content-Type": "application/json", "X-Forwarded-For": address})
            context = ssl.create_default_context(cafile=sys.argv[2])
            try:
                return urllib.request.urlopen(request, context=context).status
            except urllib.error.HTTPError as error:
                return error.code
        def first():
            for _ in range(600):
                try:
                    return ask("192.0.2.1")
                except (OSError, ssl.SSLError):
                    time.sleep(0.1)
        print(first(), ask("192.0.2.2"), ask("192.0.2.3"))
        """
}

private let caddy: String? =
    ((ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/bin").split(separator: ":")
    .map { "\($0)/caddy" }.first(where: FileManager.default.isExecutableFile)
