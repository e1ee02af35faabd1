@Suite struct S3CopyTests {
    private func client(_ fake: FakeAWS) throws -> S3Client {
        S3Client(
            try settings(["AWS_REGION": "eu-west-1"]), fake.ports(),
            credentials: .fixed(testKeys), bucket: "my.photos")
    }

    private func error(_ status: Int, _ code: String) -> HTTPResponse {
        answer(status, "<Error><Code>\(code)</Code><Message>text</Message></Error>")
    }

    private let copied = answer(
        200,
        "<CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            + "<ETag>&quot;e&quot;</ETag></CopyObjectResult>")

    @Test func `a list begins after a key`() throws {
        let fake = FakeAWS(
            answer(
                200,
                "<ListBucketResult><Contents><Key>u%2F1%2Fb</Key><ETag>&quot;e&quot;</ETag>"
                    + "<Size>3</Size></Contents></ListBucketResult>"))
        let objects = try client(fake).objects(prefix: "u/1/", after: "u/1/a", max: 10)
        expectEqual(objects, [.init(key: "u/1/b", etag: "\"e\"", byteCount: 3)])
        #expect(
            fake.requests[0].url.hasSuffix(
                "&encoding-type=url&max-keys=10&prefix=u%2F1%2F&start-after=u%2F1%2Fa"))
    }

    @Test func `a copy names its source, and does not replace an existing object`() throws {
        let fake = FakeAWS(copied)
        try expectEqual(client(fake).copy("u/1/a b+é", to: "u/2/a b+é"), .copied)
        let request = try #require(fake.requests.first)
        #expect(request.method == .put && request.body.isEmpty)
        #expect(request.url.hasSuffix("/my.photos/u/2/a%20b%2B%C3%A9"))
        expectEqual(header("x-amz-copy-source", of: request), "/my.photos/u/1/a%20b%2B%C3%A9")
        expectEqual(header("if-none-match", of: request), "*")
    }

    @Test func `an existing target and a missing source are not failures`() throws {
        let taken = FakeAWS(error(412, "PreconditionFailed"))
        try expectEqual(client(taken).copy("a", to: "b"), .exists)
        let missing = FakeAWS(error(404, "NoSuchKey"))
        try expectEqual(client(missing).copy("a", to: "b"), .missing)
    }

    @Test func `an error in the body after a success status is an error, and is tried again`()
        throws
    {
        let fake = FakeAWS(error(200, "InternalError"), copied)
        try expectEqual(client(fake).copy("a", to: "b"), .copied)
        expectEqual(fake.requests.count, 2)
    }

    @Test func `a refused copy is a failure`() throws {
        let fake = FakeAWS(error(403, "AccessDenied"))
        #expect(
            throws: AWSFailure.refused(
                AWSRefusal(status: 403, code: "AccessDenied", message: "text"))
        ) {
            try client(fake).copy("a", to: "b")
        }
    }
}
