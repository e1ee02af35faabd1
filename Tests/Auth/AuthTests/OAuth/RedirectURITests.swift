import AuthDomain

@Suite("Redirect addresses of clients") struct RedirectURITests {
    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "java\tscript:alert(1)", " javascript:1",
        "data:text/html,x", "vbscript:x", "blob:https://a.example/x", "file:///etc/passwd",
        "about:blank", "mailto:a@example.com", "myapp:/callback", "myapp://callback",
        "http://example.com/cb", "http://127.0.0.1.evil.example/", "http://127.1/",
        "http://127.0.0.2/", "http://0.0.0.0/", "http://localhost.evil/", "http://localhost@evil/",
        "http://[::ffff:127.0.0.1]/", "http://localhost:0/", "http://localhost:99999/",
        "https://", "https:example.com", "https:///cb", "https://a.example/cb#x",
        "https://user@a.example/cb", "https://a.example\\@evil/", "https://a.example/../b",
        "https://a.example/..;/b", "https://a.example/%2e%2e/b", "https://a.example/%2Fb",
        "https://*.example.com/cb", "https://a.example/c b", "https://a.example/\u{E9}",
    ])
    func `a URI that is not known to be harmless cannot be registered`(_ text: String) {
        #expect(RedirectURI(registering: text) == nil)
    }

    @Test(arguments: [
        ("https://a.example/cb?x=1", "https://a.example/cb?x=1", true),
        ("https://a.example/cb", "https://a.example/cb/", false),
        ("https://a.example/cb", "https://A.example/cb", false),
        ("https://a.example/cb", "https://a.example:443/cb", false),
        ("https://a.example/cb", "https://a.example/cb?x=1", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51234/cb", true),
        ("http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb", true),
        ("http://127.0.0.1:1/cb", "http://127.0.0.1/cb", true),
        ("http://localhost/callback", "http://localhost:57470/callback", true),
        ("http://localhost:4242", "http://localhost:4343", true),
        ("http://[::1]/cb", "http://[::1]:8080/cb", true),
        ("http://127.0.0.1/cb", "http://localhost/cb", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9/cb?bar=foo", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9/other", false),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9@evil/cb", false),
        ("http://127.0.0.1/cb", "https://127.0.0.1:9/cb", false),
        ("com.example.app:/cb", "com.example.app:/cb", true),
        ("com.example.app:/cb", "com.example.app:/cb2", false),
    ])
    func `a redirect URI must match the registered one, except a program's port`(
        _ registered: String, _ presented: String, isAccepted: Bool
    ) throws {
        let uri = try #require(RedirectURI(registering: registered))
        #expect(uri.accepts(presented) == isAccepted)
    }
}
