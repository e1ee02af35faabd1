import Foundation
import Glibc
import TestSupport
import Testing

/// A server in the folder to which `latchkey configure` has written its settings.
@Suite("latchkey serve with a file of settings", .serialized, .hangLimit)
struct ConfiguredServerTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.file("latchkey.env") }

    private func configure(_ arguments: [String]) throws -> ProcessResult {
        try ChildProcess.run(.latchkey(["configure", "--file", file] + arguments, in: folder))
    }

    @Test func `serve reads and reports the settings file of its folder, other commands do not`()
        throws
    {
        _ = try configure(["--no-checks", "--set", "APP_NAME=Diary"])
        func said(
            _ arguments: [String], _ environment: [(name: String, value: String)] = []
        ) throws -> (page: String, text: String) {
            let server = try HTTPProcess(.latchkey(arguments, environment, in: folder))
            let client = try server.client()
            client.send("GET /auth/ui/signin HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let page = try #require(client.answer()).body
            return (page, server.end().errorText)
        }
        let text = [("LOG_FORMAT", "text")].map { (name: $0.0, value: $0.1) }
        let served = try said(["serve", "127.0.0.1:0"], text)
        #expect(served.page.contains("Diary"), "\(served.page)")
        #expect(served.text.contains(#/\n  Settings +\./latchkey\.env\n/#), "\(served.text)")
        let own = try said(["serve", "127.0.0.1:0"], [("APP_NAME", "Photos")])
        #expect(own.page.contains("Photos") && !own.page.contains("Diary"))
        #expect(own.text.contains(#""event":"settings_file_read""#), "\(own.text)")
        let other = try said(["--listen", "127.0.0.1:0"])
        #expect(!other.page.contains("Diary"))
        #expect(other.text.contains("latchkey --env-file latchkey.env serve"), "\(other.text)")
        let named = try said(["--env-file", "latchkey.env", "serve", "127.0.0.1:0"], text)
        #expect(named.page.contains("Diary") && !named.text.contains("  Settings "))
    }

    @Test func `serve refuses a file of its folder that others can change`() throws {
        _ = try configure(["--no-checks", "--set", "APP_NAME=Diary"])
        chmod(file, 0o620)
        let writable = try ChildProcess.run(.latchkey(["serve", "127.0.0.1:0"], in: folder))
        expectEqual(writable.end, .exit(1))
        #expect(writable.errorText.contains("chmod go-w latchkey.env"), "\(writable.errorText)")
        unlink(file)
        symlink("/etc/passwd", file)
        let link = try ChildProcess.run(.latchkey(["serve", "127.0.0.1:0"], in: folder))
        expectEqual(link.end, .exit(1))
        #expect(link.errorText.contains("is not read: it is a symbolic link"), "\(link.errorText)")
        expectEqual(folder.names, ["latchkey.env"])
    }

    @Test func `a public server without mail gets a warning, also at its start`() throws {
        let warning = "Mails are written to a folder, and nobody receives them (MAIL_URL)"
        let result = try configure(["--no-checks", "--set", "ISSUER=https://auth.example.com"])
        #expect(result.errorText.contains("note \(warning)"), "\(result.errorText)")
        let server = try HTTPProcess(
            .latchkey(["serve", "127.0.0.1:0"], [("LOG_FORMAT", "text")], in: folder))
        let said = server.end().errorText
        #expect(said.contains("\n\(warning).\n"), "\(said)")
        let local = try configure(["--no-checks", "--set", "ISSUER=http://localhost:8080"])
        #expect(!local.errorText.contains(warning), "\(local.errorText)")
    }
}
