import LatchkeyUploads

@Suite("Formats of uploads")
struct UploadFormatTests {
    /// An example of AWS: "Signature Calculations for the Authorization Header".
    @Test func `a request is signed as in the documentation of S3`() throws {
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt"))
        var request = HTTPRequest("GET", url, headers: ["Range": "bytes=0-9"])
        let signature = RequestSignature(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sessionToken: nil,
            region: "us-east-1")
        signature.sign(
            &request, at: Date(timeIntervalSince1970: 1_369_353_600),
            payload: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expectEqual(
            request.headers["Authorization"],
            "AWS4-HMAC-SHA256 "
                + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    /// The same page: a query without a value.
    @Test func `a subresource is signed as in the documentation of S3`() throws {
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/?lifecycle"))
        var request = HTTPRequest("GET", url)
        RequestSignature(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sessionToken: nil,
            region: "us-east-1"
        ).sign(
            &request, at: Date(timeIntervalSince1970: 1_369_353_600),
            payload: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expectEqual(
            request.headers["Authorization"]?.hasSuffix(
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"), true)
    }

    /// RFC 4231, test cases 1, 2 and 6.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func `HMAC equals the vectors of RFC 4231`(key: [UInt8], message: String, expected: String) {
        let code = RequestSignature.authenticate(Array(message.utf8), with: key)
        expectEqual(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), expected)
    }

    @Test func `a file has at most 10,000 parts of at least 5 MiB`() throws {
        let mib = 1 << 20
        let small = try PartPlan(bytes: 11 * mib, partBytes: 1)
        #expect(small.partBytes == 5 * mib && small.count == 3)
        #expect(small.range(1) == 0..<5 * mib && small.range(3) == 10 * mib..<11 * mib)
        let large = try PartPlan(bytes: 1 << 40, partBytes: 8 * mib)
        #expect(large.count == 10_000 && large.range(10_000).upperBound == 1 << 40)
        #expect((1...10_000).allSatisfy { large.range($0).count > 0 })
        try expectEqual(PartPlan(bytes: 0, partBytes: mib).count, 0)
        try expectEqual(PartPlan(bytes: 5 << 40, partBytes: mib).count, 10_000)
        #expect(throws: UploadError.tooLarge) { try PartPlan(bytes: 5 << 40 + 1, partBytes: mib) }
    }

    @Test(
        arguments: [
            ("films", "eu-central-1", nil, "https://films.s3.eu-central-1.amazonaws.com/a/b%20%2B"),
            ("my.films", "us-east-1", nil, "https://s3.us-east-1.amazonaws.com/my.films/a/b%20%2B"),
            ("films", "cn-north-1", nil, "https://films.s3.cn-north-1.amazonaws.com.cn/a/b%20%2B"),
            ("films", "x", "http://127.0.0.1:9/", "http://127.0.0.1:9/films/a/b%20%2B"),
        ])
    func `objects are at AWS, or at an endpoint`(
        bucket: String, region: String, endpoint: String?, url: String
    ) {
        let found = ObjectURL.url(of: "a/b +", bucket: bucket, region: region, endpoint: endpoint)
        expectEqual(found?.absoluteString, url)
    }
}
