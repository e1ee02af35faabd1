import AuthTestSupport

/// The settings of `shell` (`Tests/Seeds/shell.md`).
@Suite("Settings of shell") struct ShellSettingsTests {
    @Test func `shell signs with the secret of its settings`() throws {
        let deployment = try TestDeployment()
        let secret = "qmfQm2xk0vYbXqgDq7Zc0nJ3l5b8s1uVw9yA2cE4gH0="
        let marker = try deployment.write("marker", "")
        let settings = ["CONTRACT": "shell", "STORE": "sqlite:\(marker).db", "JWT_SECRET": secret]
        func ask(_ function: String, _ path: String, _ body: String) throws -> JSON {
            let handler = try deployment.handler(settings, of: function)
            let reply = try #require(deployment.post(handler, path, body))
            guard case .json(let json)? = reply.body else { return .null }
            return json
        }
        let account = #""email":"user@example.com","password":"Secret-1234""#
        _ = try ask(
            "register", "/auth/register", "{\(account),\"confirmPassword\":\"Secret-1234\"}")
        let session = try ask("login", "/auth/login", "{\(account)}")
        let token = try #require(session["accessToken"]?.stringValue, "\(session.text)")
        let keys = try KeySet([
            try SigningKey.secret(SecretBytes(utf8: secret)).verificationKey.nameless
        ])
        #expect(throws: Never.self) { try JWS.verify(token, keys: keys) }
        let header = try #require(
            token.split(separator: ".").first.flatMap { Base64URL.decode($0) })
        expectEqual(String(decoding: header, as: UTF8.self), #"{"alg":"HS256","typ":"JWT"}"#)
    }

    @Test func `a link base that cannot open pages is refused at the start`() throws {
        let deployment = try TestDeployment()
        let settings = [
            "CONTRACT": "latchkey", "STORE": "memory:", "MAIL_URL": "smtp://127.0.0.1:9",
            "MAIL_FROM": "no-reply@example.com",
        ]
        func problems(_ base: String?) -> [String] {
            var settings = settings
            settings["LINK_BASE"] = base
            return deployment.problems(settings, of: "forgot-password")
        }
        expectEqual(problems(nil).first?.hasPrefix("LINK_BASE is required"), true)
        for base in [
            "app.example.com", "http://app.example.com", "https://app.example.com/",
            "https://app.example.com?x=", "javascript://x", "https://", "https://app example.com",
        ] { expectEqual(problems(base).first?.hasPrefix("LINK_BASE must be"), true, "\(base)") }
        for base in ["https://app.example.com/auth", "myapp://auth", "http://localhost:3000"] {
            expectEqual(problems(base), [], "\(base)")
        }
    }
}
