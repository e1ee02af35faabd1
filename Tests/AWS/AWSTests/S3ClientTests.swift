private func client(_ fake: FakeAWS, _ variables: [String: String] = [:]) throws -> S3Client {
    let variables = variables.merging(["AWS_REGION": "eu-west-1"]) { given, _ in given }
    return S3Client(
        try settings(variables), fake.ports(), credentials: .fixed(testKeys), bucket: "my.photos")
}

private func listed(_ keys: [String]) -> HTTPResponse {
    let contents = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
    return answer(
        200,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>photos</Name>\
        <Prefix>users/1/</Prefix><KeyCount>\(keys.count)</KeyCount>\(contents)</ListBucketResult>
        """)
}

private func error(_ status: Int, _ code: String) -> HTTPResponse {
    answer(status, "<Error><Code>\(code)</Code><Message>text</Message></Error>")
}

private func deleted(_ inside: String = "") -> HTTPResponse {
    answer(
        200,
        "<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(inside)</DeleteResult>")
}

@Suite struct S3ClientTests {
    @Test func `a list is requested below the prefix, and its keys are decoded`() throws {
        let fake = FakeAWS(listed(["users/1/a%2Bb+c%C3%A9", "users/1/%01"]))
        let keys = try client(fake).listObjects(prefix: "users/1/")
        expectEqual(keys, ["users/1/a+b cé", "users/1/\u{1}"])
        let request = try #require(fake.requests.first)
        expectEqual(request.method, .get)
        expectEqual(
            request.url,
            "https://s3.eu-west-1.amazonaws.com/my.photos?list-type=2"
                + "&encoding-type=url&max-keys=1000&prefix=users%2F1%2F")
        expectEqual(
            header("authorization", of: request)?.contains("/eu-west-1/s3/aws4_request,"), true)
        #expect(header("x-amz-content-sha256", of: request) != nil)
        expectEqual(header("x-amz-security-token", of: request), "session")
    }

    @Test func `an endpoint other than AWS is used unchanged`() throws {
        let fake = FakeAWS(listed([]))
        let client = try client(fake, ["AWS_ENDPOINT_URL_S3": "http://127.0.0.1:8001/"])
        #expect(try client.listObjects(prefix: "p/").isEmpty)
        #expect(fake.requests[0].url.hasPrefix("http://127.0.0.1:8001/my.photos?"))
    }

    @Test func `a deletion contains its keys, and a checksum of its body`() throws {
        let fake = FakeAWS(deleted())
        try client(fake).deleteObjects(["a&b", "<c>", "d\u{1}é"])
        let request = try #require(fake.requests.first)
        expectEqual(request.method, .post)
        expectEqual(request.url, "https://s3.eu-west-1.amazonaws.com/my.photos?delete=")
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(
            body.hasSuffix(
                "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>"
                    + "<Object><Key>a&amp;b</Key></Object><Object><Key>&lt;c&gt;</Key></Object>"
                    + "<Object><Key>d&#1;é</Key></Object></Delete>"))
        expectEqual(
            header("x-amz-checksum-sha256", of: request), Base64.encode(SHA256.hash(request.body)))
    }

    @Test func `a key that is not deleted is a failure, although the status is 200`() throws {
        let refused = "<Error><Key>a</Key><Code>AccessDenied</Code><Message>m</Message></Error>"
        let fake = FakeAWS(deleted(refused))
        #expect(throws: AWSFailure.refused(AWSRefusal(status: 403, code: "AccessDenied"))) {
            try client(fake).deleteObjects(["a"])
        }
        let passing = "<Error><Key>a</Key><Code>InternalError</Code><Message>m</Message></Error>"
        let again = FakeAWS(deleted(passing), deleted())
        try client(again).deleteObjects(["a"])
        expectEqual(again.requests.count, 2)
    }

    @Test func `uploads are listed and aborted, and an ended upload counts as aborted`() throws {
        let upload = "<Upload><Key>users/1/a%20b</Key><UploadId>x+/=</UploadId></Upload>"
        let fake = FakeAWS(
            answer(
                200,
                "<ListMultipartUploadsResult><Bucket>b</Bucket>\(upload)"
                    + "</ListMultipartUploadsResult>"),
            answer(204, ""), error(404, "NoSuchUpload"))
        let client = try client(fake)
        let uploads = try client.listUploads(prefix: "users/1/")
        #expect(uploads.map(\.key) == ["users/1/a b"] && uploads.map(\.id) == ["x+/="])
        try client.abort(uploads[0])
        try client.abort(uploads[0])
        expectEqual(
            fake.requests[0].url,
            "https://s3.eu-west-1.amazonaws.com/my.photos?encoding-type=url"
                + "&max-uploads=1000&prefix=users%2F1%2F&uploads=")
        expectEqual(fake.requests[1].method, .delete)
        expectEqual(
            fake.requests[1].url,
            "https://s3.eu-west-1.amazonaws.com/my.photos/users/1/a%20b?uploadId=x%2B%2F%3D")
    }

    @Test func `throttling and errors of the service are tried again`() throws {
        let fake = FakeAWS(error(503, "SlowDown"), error(500, "InternalError"), listed(["k"]))
        try expectEqual(client(fake).listObjects(prefix: "k"), ["k"])
        expectEqual(fake.requests.count, 3)
    }

    @Test(arguments: [(403, "AccessDenied"), (404, "NoSuchBucket"), (301, "PermanentRedirect")])
    func `a refused request is not tried again`(status: Int, code: String) throws {
        let fake = FakeAWS(error(status, code))
        let expected = AWSFailure.refused(AWSRefusal(status: status, code: code, message: "text"))
        #expect(throws: expected) { try client(fake).listObjects(prefix: "k") }
        #expect(!expected.isTransient && fake.requests.count == 1)
    }

    @Test(arguments: [
        "", "junk", "<ListBucketResult>", "<Other/>",
        "<ListBucketResult><Contents><Key></Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>%FF</Key></Contents></ListBucketResult>",
    ])
    func `an invalid list is not an empty list`(body: String) throws {
        let fake = FakeAWS(Array(repeating: .success(answer(200, body)), count: 9))
        #expect(throws: AWSFailure.malformedResponse) { try client(fake).listObjects(prefix: "k") }
    }

    @Test func `the longest list fits into the response limit`() throws {
        let key = String(repeating: "%25", count: 1024)
        let fake = FakeAWS(listed(Array(repeating: key, count: S3Client.keysMax)))
        try expectEqual(client(fake).listObjects(prefix: "").count, S3Client.keysMax)
    }
}
