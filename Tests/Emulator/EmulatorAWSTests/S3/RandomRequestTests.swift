import BaseTestSupport

@Suite struct RandomRequestTests {
    private static let paths = [
        "/", "/photos", "/photos/", "/photos/k", "/photos/%", "/photos/%2e%2e/x", "//", "/a",
        "/photos/\u{301}", "/%FF/k", "/photos/k%00", "/photos//", "/photos/k/l", "/.../..",
    ]
    private static let fields = [
        "list-type=2", "delimiter=%2F", "prefix=k", "max-keys=2", "max-keys=-9", "uploads",
        "uploadId=x", "partNumber=1", "partNumber=99999", "delete", "location", "versioning",
        "continuation-token=AQ", "continuation-token=AWs", "start-after=%F4", "marker=k",
        "encoding-type=url", "acl", "response-content-type=a", "X-Amz-Expires=1", "=", "=x", "%",
        "X-Amz-Content-Sha256=x", "key-marker=k", "part-number-marker=0", "max-parts=0",
    ]
    private static let headers = [
        ("Range", "bytes=-1"), ("Range", "bytes=0-0"), ("If-Match", "\""), ("If-None-Match", "*"),
        ("x-amz-copy-source", "/photos/k"), ("x-amz-copy-source", "photos/"),
        ("x-amz-copy-source", "%"), ("x-amz-copy-source-range", "bytes=0-"),
        ("If-Modified-Since", "Tue, 99 Nov 2023 22:13:20 GMT"), ("Content-MD5", "x"),
        ("x-amz-checksum-crc32", "x"), ("x-amz-metadata-directive", "REPLACE"),
        ("x-amz-decoded-content-length", "3"), ("x-amz-trailer", "x"),
        ("x-amz-checksum-algorithm", "CRC32"), ("x-amz-meta-", ""), ("Content-Encoding", ","),
        ("x-amz-security-token", "AAAA"), ("Host", "photos.s3.localhost"),
        ("Host", ".s3.localhost"),
    ]
    private static let bodies = [
        "", "x", "<Delete/>", "<Delete><Object><Key>k</Key></Object></Delete>", "<", "&#0;",
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag/></Part>"
            + "</CompleteMultipartUpload>", "1\r\nx\r\n0\r\n\r\n", "ffffffff\r\n",
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every request gets a valid response`(seed: UInt64) throws {
        let random = RandomSource.seeded(seed)
        func one<Element>(of list: [Element]) -> Element {
            list[Int(random.bytes(1)[0]) % list.count]
        }
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        try harness.put("/photos/k", "0123456789")
        for _ in 0..<200 {
            let method = one(of: [HTTPRequest.Method.get, .put, .post, .delete, .head])
            let query = (0..<Int(random.bytes(1)[0] % 4)).map { _ in one(of: Self.fields) }
            let target =
                one(of: Self.paths) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            let headers = (0..<Int(random.bytes(1)[0] % 3)).map { _ in one(of: Self.headers) }
            let body = Array(one(of: Self.bodies).utf8)
            let answer: HTTPResponse
            if random.bytes(1)[0] < 200 {
                answer = try harness.call(method, target, headers: headers, body: body)
            } else {
                answer = harness.send(
                    HTTPRequest(
                        method, "http://h/",
                        headers: headers.map { HTTPHeader($0.0, $0.1) }
                            + [
                                HTTPHeader(
                                    "Authorization", one(of: Self.bodies + ["AWS4-HMAC-SHA256 "]))
                            ],
                        body: body), target)
            }
            #expect(
                (200..<500).contains(answer.status) || answer.status == 501,
                "\(method) \(target) \(headers) \(answer.status), seed \(seed)")
            #expect(method != .head || answer.body.isEmpty)
        }
    }
}
