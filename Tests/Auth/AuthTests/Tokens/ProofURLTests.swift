import AuthOperations

@Suite("ProofURL") struct ProofURLTests {
    @Test(arguments: [
        "https://auth.example.com/auth/refresh", "HTTPS://Auth.Example.COM/auth/refresh",
        "https://auth.example.com:443/auth/refresh", "https://auth.example.com/auth/refresh?a=1",
        "https://auth.example.com/auth/refresh#x", "https://auth.example.com/%61uth/refresh",
    ])
    func `equivalent URLs are equal`(text: String) {
        let expected = ProofURL(base: "https://auth.example.com", path: "/auth/refresh")
        #expect(expected != nil && ProofURL(parsing: text) == expected)
    }

    @Test(arguments: [
        "http://auth.example.com/auth/refresh", "https://auth.example.com:80/auth/refresh",
        "https://auth.example.com/auth/refresh/", "https://auth.example.com/auth",
        "https://auth.example.com.evil/auth/refresh", "https://auth.example.com/AUTH/refresh",
        "https://auth.example.com:4430/auth/refresh",
    ])
    func `other URLs are not equal`(text: String) throws {
        let other = try #require(ProofURL(parsing: text))
        #expect(other != ProofURL(base: "https://auth.example.com", path: "/auth/refresh"))
    }

    @Test(arguments: [
        "", "/auth/refresh", "auth.example.com/auth", "ftp://auth.example.com/auth",
        "https:///auth", "https://user@auth.example.com/auth", "https://a b/auth",
        "https://auth.example.com/%zz", "https:/auth.example.com/auth",
    ])
    func `anything but an HTTP URL is refused`(text: String) {
        expectEqual(ProofURL(parsing: text), nil)
    }

    @Test func `a path is appended to a base URL with or without a slash at its end`() {
        let whole = ProofURL(parsing: "https://example.com/v1/auth/me")
        expectEqual(ProofURL(base: "https://example.com/v1", path: "/auth/me"), whole)
        expectEqual(ProofURL(base: "https://example.com/v1/", path: "/auth/me"), whole)
        expectEqual(
            ProofURL(parsing: "https://example.com"), ProofURL(parsing: "https://example.com/"))
    }
}
