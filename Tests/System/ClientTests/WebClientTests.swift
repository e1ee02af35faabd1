import Foundation
import TestSupport

/// The module for web apps, Web/latchkey.js.
@Suite("The web client", .blocking)
struct WebClientTests {
    /// Runs a program in the root of the repository. One that is missing fails the test:
    /// scripts/install-packages and scripts/make-venv install them all.
    private static func check(
        _ arguments: [String], environment: [(name: String, value: String)] = []
    ) throws {
        let home = try TemporaryFolder()
        let root = RepositoryRoot.url.path(percentEncoded: false)
        var command = Command("/usr/bin/env", arguments).throughShell("cd '\(root)'")
        command.folder = home
        command.environment =
            [
                ("HOME", home.path), ("TMPDIR", home.path), ("LC_ALL", "C.UTF-8"),
                ("DENO_DIR", home.path), ("NO_COLOR", "1"),
                ("PATH", "\(VirtualEnvironment.programFolder):/usr/local/bin:/usr/bin:/bin"),
            ] + environment
        let result = try ChildProcess.run(command)
        expectEqual(
            result.end, .exit(0),
            "\(arguments.joined(separator: " "))\n\(result.text)\n\(result.errorText)")
    }

    /// Also checks that the stated version and hashes belong to the files.
    @Test func `the modules match their source, and the first is below 5 kB gzipped`() throws {
        try Self.check(["scripts/bundle-web", "--check"])
    }

    @Test func `the client's types match the OpenAPI document`() throws {
        try Self.check(["scripts/web-types", "--check"])
    }

    @Test func `TypeScript accepts the client's types, and refuses wrong uses`() throws {
        try Self.check(["tsc", "--project", "Tests/Web/types"])
    }

    @Test(arguments: [
        ["node", "--test"], ["deno", "test", "--no-check", "--no-lock", "--allow-all"],
    ])
    func `the client works in Node and Deno`(runner: [String]) throws {
        let folder = RepositoryRoot.url.appending(path: "Tests/Web").path(percentEncoded: false)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".test.js") }
        try #require(!files.isEmpty)
        try Self.check(runner + files.map { "Tests/Web/\($0)" })
    }

    @Test func `a page signs in by passkey in Chromium, and tabs refresh once`() throws {
        try Self.checkBrowser("chromium")
    }

    /// `make test-browsers` installs the browsers, and names them in the variable.
    static let others = (ProcessInfo.processInfo.environment["LATCHKEY_BROWSERS"] ?? "")
        .split(separator: ",").map(String.init)

    @Test(
        .enabled(if: !others.isEmpty, "Firefox and WebKit: make test-browsers"), arguments: others)
    func `a page signs in by passkey in the other browsers too`(name: String) throws {
        try Self.checkBrowser(name)
    }

    @Test(arguments: [
        ["node", "--test"], ["deno", "test", "--no-check", "--no-lock", "--allow-all"],
    ])
    func `an app without a page works in Node and Deno`(runner: [String]) throws {
        let template = try BuiltTemplate("latchkey")
        let emulator = try EmulatorProcess(template: template.path)
        try Self.check(
            runner + ["Tests/Web/emulator.js"], environment: [("APP_URL", emulator.appURL)])
    }

    /// The example's pages at another origin than the server's, and its back ends.
    @Test(arguments: ["web_pages.py", "web_backend.py"])
    func `the examples sign in by the server's pages in Chromium`(script: String) throws {
        try ClientScript(
            script: script,
            environment: [("LATCHKEY", BuiltExecutables.path(of: "latchkey"))]
        ).check(EmulatorProcess.shared())
    }

    private static func checkBrowser(_ name: String) throws {
        let pages = try PageServer()
        let template = try BuiltTemplate("latchkey")
        let emulator = try EmulatorProcess(
            template: template.path,
            [
                "--parameter", "AllowedOrigins=\(pages.url)",
                "--parameter", "PasskeyOrigins=\(pages.url)", "--parameter", "Dpop=optional",
            ])
        try ClientScript(
            script: "web_client.py", environment: [("BROWSER", name), ("PAGES", pages.url)]
        ).check(emulator)
    }
}

/// Serves the repository's files to a browser, at an origin of its own.
private struct PageServer {
    let url: String
    private let process: ChildProcess

    init() throws {
        let root = RepositoryRoot.url.path(percentEncoded: false)
        process = try ChildProcess(
            Command(
                try VirtualEnvironment.program("python"),
                [
                    "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", root,
                ]))
        var port: Substring?
        _ = process.waits { [process] in
            // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
            let words = process.textSoFar.output.split(separator: " ")
            guard let index = words.firstIndex(of: "port"), index + 2 < words.count else {
                return false
            }
            port = words[index + 1]
            return true
        }
        url = "http://localhost:\(try #require(port))"
    }
}
