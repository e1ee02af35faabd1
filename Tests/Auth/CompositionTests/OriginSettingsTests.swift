import BaseTestSupport

/// `ALLOWED_ORIGINS`: an exact list.
@Suite("Allowed origins") struct OriginSettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    static let origins: [(String, Bool)] = [
        ("https://app.example.com", true), ("https://app.example.com:8443", true),
        ("https://a.example.com,https://b.example.com", true),
        ("https://a.example.com, https://b.example.com", true),
        ("http://localhost", true), ("http://localhost:5173", true),
        ("http://127.0.0.1:3000", true), ("http://[::1]:3000", true), ("https://[::1]", true),
        ("https://xn--bcher-kva.example", true), ("https://localhost:3000", true), ("", true),
        ("*", false), ("null", false), ("https://*.example.com", false), ("https://*", false),
        ("http://app.example.com", false), ("http://localhost.evil.com", false),
        ("http://127.0.0.1.evil.com", false), ("http://[::2]", false),
        ("http://[::1].evil.com", false), ("https://app.example.com/", false),
        ("https://app.example.com/path", false), ("https://app.example.com?x", false),
        ("https://app.example.com#x", false), ("https://user@app.example.com", false),
        ("https://App.example.com", false), ("HTTPS://app.example.com", false),
        ("https://bücher.example", false), ("https://app.example.com:443", false),
        ("http://localhost:80", false), ("https://app.example.com:", false),
        ("https://app.example.com:0", false), ("https://app.example.com:080", false),
        ("https://app.example.com:65536", false), ("https://app.example.com:x", false),
        ("https://", false), ("https://:8443", false), ("https://[", false), ("https://[]", false),
        ("https://a..example.com", false), ("https://app.example.com.", false),
        ("app.example.com", false), ("ftp://app.example.com", false),
        ("https://a.example.com,*", false), ("file://", false),
    ]

    @Test(arguments: origins)
    func `an origin is as browsers send it: https, or http on this machine`(
        origins: String, isGood: Bool
    ) {
        let problems = deployment.problems(["STORE": "memory:", "ALLOWED_ORIGINS": origins])
        expectEqual(problems.isEmpty, isGood)
        #expect(problems.allSatisfy { $0.hasPrefix("ALLOWED_ORIGINS must be at most 32 origins") })
    }

    @Test func `the number and the length of origins are limited`() {
        func problems(_ count: Int, _ length: Int) -> Int {
            let name = (0..<length).map { $0 % 40 == 39 ? "." : "a" }.joined()
            let origins = (0..<count).map { "https://\($0)\(name)" }.joined(separator: ",")
            return deployment.problems(["STORE": "memory:", "ALLOWED_ORIGINS": origins]).count
        }
        expectEqual(problems(32, 10), 0)
        expectEqual(problems(33, 10), 1)
        expectEqual(problems(1, 246), 0)
        expectEqual(problems(1, 247), 1)
    }

    static let unlisted: [([String], [String], String?)] = [
        ([], [], nil), (["com.example.app:/signed-in"], [], nil),
        (["https://app.example.com/in?a=b"], [], "https://app.example.com"),
        (
            ["https://App.example.com:443/in", "https://app.example.com"], [],
            "https://app.example.com"
        ),
        (["http://localhost:80/", "http://[::1]:3000/"], [], "http://localhost,http://[::1]:3000"),
        (["https://app.example.com/in"], ["https://app.example.com"], nil),
        (
            ["https://app.example.com:8443/in"], ["https://app.example.com"],
            "https://app.example.com,https://app.example.com:8443"
        ),
        // Pages of the server's own origin need no entry.
        (["https://auth.example.com/app/in", "https://auth.example.com:443"], [], nil),
    ]

    @Test(arguments: unlisted)
    func `unlisted origins of web addresses in UI_RETURN are reported`(
        returns: [String], listed: [String], setting: String?
    ) {
        let found = UnlistedOrigins(
            of: returns, listed: listed, issuer: "https://auth.example.com/id")
        expectEqual(
            found.advice?.remedy,
            setting.map { "for a web app without a back end set ALLOWED_ORIGINS=\($0)" })
    }
}
