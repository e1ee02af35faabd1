import BaseTestSupport
import Foundation

/// The two verifications of access tokens that docs/deploying.md shows, with tokens of a server.
@Suite("Verification in the document", .hangLimit, .blocking)
struct TokenDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.path
    private static let checks = """
        good=$(check "Bearer $TOKEN"); [ "$good" = "$SUBJECT" ] || { echo "good: $good"; exit 1; }
        head=${TOKEN%%.*} rest=${TOKEN#*.} body=${TOKEN#*.}; body=${body%.*}
        other=$(printf '%s' "$body" | tr 'A-Z' 'B-ZA')
        for wrong in "" "Bearer x" "Bearer $head.$other.${TOKEN##*.}" "Bearer $TOKEN"x \\
            "Bearer $REFRESH" "Bearer e30.$rest"; do
            ! answer=$(check "$wrong" 2>/dev/null) || { echo "$wrong: $answer"; exit 1; }
        done
        echo all checked
        """

    private func run(_ language: String, _ setUp: (String) -> String) throws {
        let text = try String(contentsOfFile: Self.root + "/docs/deploying.md", encoding: .utf8)
        let blocks = text.components(separatedBy: "\n```\(language)\n").dropFirst()
        let source = blocks.compactMap { $0.components(separatedBy: "```\n").first }
            .first { $0.contains("well-known/jwks.json") }
        let port = try FreePort.find()
        let issuer = "http://127.0.0.1:\(port)"
        let deployment = try Deployment([(name: "ISSUER", value: issuer)])
        let server = try HTTPProcess(
            "latchkey", in: deployment, arguments: ["--listen", "127.0.0.1:\(port)"])
        defer { _ = server.end() }
        let client = try server.client()
        client.send(HTTPProcess.post("/auth/guest", "{}"))
        let body = try JSON.parse(try #require(client.answer()).body, limits: .event)
        let folder = try TemporaryFolder()
        let name = language == "js" ? "check.mjs" : "check.py"
        let program = try #require(source).replacing("https://auth.example.com", with: issuer)
        try folder.write(Array(program.utf8), to: name)
        var command = Command("/bin/bash", ["-uc", setUp(folder.path) + "\n" + Self.checks])
        command.environment = [
            ("PATH", "\(VirtualEnvironment.programFolder):/usr/local/bin:/usr/bin:/bin"),
            ("TOKEN", body["accessToken"]?.stringValue ?? ""),
            ("REFRESH", body["refreshToken"]?.stringValue ?? ""),
            ("SUBJECT", body["user"]?["id"]?.stringValue ?? ""),
        ]
        let result = try ChildProcess.run(command)
        #expect(
            result.end == .exit(0) && result.text.contains("all checked"),
            "\(result.text)\(result.errorText)")
    }

    @Test func `the example in Python accepts only valid tokens`() throws {
        try run("python") { folder in
            "check() { PYTHONPATH='\(folder)' python -c "
                + "'import sys, check; print(check.user(sys.argv[1]))' \"$1\"; }"
        }
    }

    @Test func `the example in JavaScript accepts only valid tokens`() throws {
        try run("js") { folder in
            "check() { node --input-type=module -e \"import {user} from '\(folder)/check.mjs';"
                + " console.log(await user(process.argv[1]))\" -- \"$1\"; }"
        }
    }
}
