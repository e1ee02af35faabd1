private let time = Instant(seconds: 1_735_787_045)  // 2025-01-02T03:04:05Z

private func signer(
    service: String, secret: String = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    id: String = "AKIDEXAMPLE", token: String? = nil
) -> Signer {
    Signer(
        AWSCredentials(
            accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret),
            sessionToken: token.map { SecretBytes(utf8: $0) }), region: "us-east-1",
        service: service)
}

private func canonical(
    _ path: String, query: String = "", rule: PathRule = .standard, headers: [HTTPHeader] = []
) -> [Substring] {
    CanonicalRequest(
        SignableRequest(method: "GET", path: path, query: query, headers: headers),
        signing: Set(headers.map { $0.name.lowercased() }), payloadHash: "hash", path: rule
    ).text.split(separator: "\n", omittingEmptySubsequences: false)
}

@Suite struct SignerTests {
    @Test func `a presigned object has the documented signature`() throws {
        let signer = signer(
            service: "s3", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            id: "AKIAIOSFODNN7EXAMPLE")
        let presigned = try signer.presign(
            HTTPRequest(.get, "https://examplebucket.s3.amazonaws.com/test.txt"),
            expiresIn: .seconds(86400), at: Instant(seconds: 1_369_353_600))
        #expect(
            presigned.url.hasSuffix(
                "&X-Amz-Signature="
                    + "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }

    @Test(arguments: [
        ("", "/", "/"), ("/", "/", "/"), ("/a%20b", "/a%2520b", "/a%20b"),
        ("/a b", "/a%20b", "/a%20b"), ("/a//b/../c/.", "/a/c", "/a//b/../c/."),
        ("/..", "/", "/.."), ("/a/", "/a/", "/a/"), ("/a:b=c", "/a%3Ab%3Dc", "/a%3Ab%3Dc"),
        ("/a%3ab", "/a%253ab", "/a%3Ab"), ("/%FF", "/%25FF", "/%FF"), ("/50%", "/50%25", "/50%25"),
        ("/a+b", "/a%2Bb", "/a%2Bb"), ("/~_-.", "/~_-.", "/~_-."), ("/a%2fb", "/a%252fb", "/a%2Fb"),
    ])
    func `paths are encoded twice, but only once for S3`(path: String, standard: String, s3: String)
    {
        #expect(canonical(path)[1] == standard)
        #expect(canonical(path, rule: .s3)[1] == s3)
    }

    @Test(arguments: [
        ("", ""), ("acl", "acl="), ("b=2&a=1", "a=1&b=2"), ("a=2&a=1", "a=1&a=2"),
        ("a=%7e&b=%2f", "a=~&b=%2F"), ("a=b=c", "a=b%3Dc"), ("a=&a", "a=&a="),
        ("x=1&&y=2", "x=1&y=2"), ("q=a b", "q=a%20b"), ("q=a+b", "q=a%2Bb"), ("q=%", "q=%25"),
        ("a-b=1&a=2", "a=2&a-b=1"), ("A=1&a=2&B=3", "A=1&B=3&a=2"), ("q=%FF", "q=%FF"),
    ])
    func `queries have one canonical form`(query: String, expected: String) {
        #expect(canonical("/", query: query)[2] == expected)
    }

    @Test func `headers are sorted by bytes, joined and trimmed`() {
        let lines = canonical(
            "/",
            headers: [
                HTTPHeader("X-Amz-Meta-Foo", "2"), HTTPHeader("x-amz-meta", "  1  1\t1 "),
                HTTPHeader("Host", "h"), HTTPHeader("X-AMZ-META-FOO", ""),
            ])
        expectEqual(
            lines[3...],
            [
                "host:h", "x-amz-meta:1 1 1", "x-amz-meta-foo:2,", "",
                "host;x-amz-meta;x-amz-meta-foo", "hash",
            ])
    }

    @Test func `signing again replaces the previous signature`() throws {
        let signer = signer(service: "s3", token: "token")
        let once = try signer.sign(HTTPRequest(.put, "https://b.example/k"), at: time)
        try expectEqual(signer.sign(once, at: time), once)
        let later = try signer.sign(once, at: time + .seconds(1))
        expectEqual(later.headers.map(\.name), once.headers.map(\.name))
        #expect(later != once)
    }

    @Test func `only S3 requests have the payload hash header`() throws {
        let request = HTTPRequest(.put, "https://b.example/k")
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        expectEqual(
            header("x-amz-content-sha256", of: try signer(service: "s3").sign(request, at: time)),
            empty)
        expectEqual(
            header("x-amz-content-sha256", of: try signer(service: "sts").sign(request, at: time)),
            nil)
    }

    @Test(arguments: [
        ("https://h.example:443/", "h.example"), ("http://h.example:80/", "h.example"),
        ("https://h.example:80/", "h.example:80"), ("http://[::1]:8001/x", "[::1]:8001"),
        ("https://h.example", "h.example"), ("https://h.example?x", "h.example"),
    ])
    func `the Host header is signed as clients send it`(url: String, host: String) throws {
        let signed = try signer(service: "sts").sign(HTTPRequest(.get, url), at: time)
        expectEqual(header("host", of: signed), host)
    }

    @Test(arguments: [
        "", "h.example/", "ftp://h.example/", "https://", "https:///x", "https://u@h.example/",
        "https://h.example/#f", "HTTPS://h.example/",
    ])
    func `an invalid URL is not signed`(url: String) {
        let signer = signer(service: "sts")
        #expect(throws: SignatureFailure.invalidURL) {
            try signer.sign(HTTPRequest(.get, url), at: time)
        }
        #expect(throws: SignatureFailure.invalidURL) {
            try signer.presign(HTTPRequest(.get, url), expiresIn: .seconds(1), at: time)
        }
    }

    @Test(arguments: [Int64(-1), 0, 604_801])
    func `a presigned URL is valid for a second to a week`(seconds: Int64) {
        let request = HTTPRequest(.get, "https://h.example/")
        #expect(throws: SignatureFailure.expiryOutOfRange) {
            try signer(service: "s3").presign(request, expiresIn: .seconds(seconds), at: time)
        }
    }

    @Test func `a presigned URL cannot be presigned again`() throws {
        let signer = signer(service: "s3")
        let once = try signer.presign(
            HTTPRequest(.get, "https://h.example/"), expiresIn: .seconds(1), at: time)
        #expect(throws: SignatureFailure.alreadyPresigned) {
            try signer.presign(once, expiresIn: .seconds(1), at: time)
        }
    }
}
