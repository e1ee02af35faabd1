import AWSSignature
import Bytes
import EmulatorIAM
import HTTP
import TestSupport
import Testing
import Time
import XML

@Suite struct AccessTests {
    private static let own = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow",
        "Action":["s3:GetObject","s3:PutObject","s3:DeleteObject"],
        "Resource":"arn:aws:s3:::photos/${aws:PrincipalTag/uid}/*"},
        {"Effect":"Allow","Action":"s3:ListBucket","Resource":"arn:aws:s3:::photos",
        "Condition":{"StringLike":{"s3:prefix":"${aws:PrincipalTag/uid}/*"}}}]}
        """

    private func harness(now: Instant = start) throws -> S3Harness {
        let harness = try S3Harness(now: now)
        _ = try harness.call(.put, "/photos", at: now)
        return harness
    }

    @Test(
        arguments: [
            (.put, "/photos/u1/k", 200), (.get, "/photos/u1/k", 200), (.head, "/photos/u1/k", 200),
            (.get, "/photos?list-type=2&prefix=u1%2F", 200),
            (.get, "/photos?list-type=2&prefix=u1%2Fx", 200), (.put, "/photos/u2/k", 403),
            (.put, "/photos/u1", 403), (.get, "/photos/u10/k", 403),
            (.get, "/photos/u1/..%2F..%2Fu2", 403), (.put, "/other/u1/k", 404),
            (.put, "/other", 403),
            (.get, "/photos?list-type=2", 403), (.get, "/photos?list-type=2&prefix=u1", 403),
            (.get, "/photos?list-type=2&prefix=", 403), (.get, "/photos?prefix=u2%2F", 403),
            (.get, "/", 403), (.delete, "/photos/u2/k", 403), (.delete, "/photos", 403),
            (.put, "/photos", 403), (.post, "/photos/u2/k?uploads", 403),
            (.get, "/photos?uploads&prefix=u1%2F", 403),
        ] as [(HTTPRequest.Method, String, Int)])
    func `a session is limited by its policy`(
        method: HTTPRequest.Method, target: String, status: Int
    ) throws {
        let harness = try harness()
        try harness.put("/photos/u1/k", "x")
        // `..` in the policy variable matches no prefix.
        let expected = target.contains("..") ? 403 : status
        let answer = try harness.call(method, target, as: harness.session(Self.own))
        expectEqual(answer.status, expected, "\(answer.text)")
    }

    @Test func `without ListBucket a missing key is 403`() throws {
        let harness = try harness()
        let caller = try harness.session(Self.own)
        try harness.call(.get, "/photos/u1/none", as: caller).expect(403, "AccessDenied")
        try harness.call(.get, "/photos/none").expect(404, "NoSuchKey")
    }

    @Test func `a bucket that does not exist is 404 for callers without permission`() throws {
        let harness = try harness()
        let caller = try harness.session(Self.own)
        for target in ["/gone", "/gone/k", "/gone?cors"] {
            try harness.send(HTTPRequest(.get, "http://h/"), target).expect(404, "NoSuchBucket")
            try harness.call(.get, target, as: caller).expect(404, "NoSuchBucket")
        }
        try harness.send(HTTPRequest(.put, "http://h/"), "/gone").expect(403, "AccessDenied")
        try harness.call(.put, "/gone", as: caller).expect(403, "AccessDenied")
    }

    @Test func `the expected owner of a bucket is the account`() throws {
        let harness = try harness()
        for (owner, status, code) in [
            (account, 200, nil), ("999999999999", 403, "AccessDenied"),
            ("me", 400, "InvalidBucketOwnerAWSAccountID"),
        ] {
            try harness.call(
                .get, "/photos", headers: [("x-amz-expected-bucket-owner", owner)]
            ).expect(status, code)
        }
    }

    @Test func `a copy needs permission for its source, and DeleteObjects for each key`() throws {
        let harness = try harness()
        try harness.put("/photos/u2/k", "x")
        try harness.put("/photos/u1/k", "x")
        let caller = try harness.session(Self.own)
        try harness.call(
            .put, "/photos/u1/c", headers: [("x-amz-copy-source", "/photos/u2/k")], as: caller
        ).expect(403, "AccessDenied")
        let body = Array(
            "<Delete><Object><Key>u1/k</Key></Object><Object><Key>u2/k</Key></Object></Delete>".utf8
        )
        let deleted = try harness.call(
            .post, "/photos?delete",
            headers: [("x-amz-checksum-sha256", Base64.encode(sha256(body)))], body: body,
            as: caller
        ).document()
        expectEqual(deleted["Deleted"]?["Key"]?.text, "u1/k")
        expectEqual(deleted["Error"]?["Key"]?.text, "u2/k")
        expectEqual(deleted["Error"]?["Code"]?.text, "AccessDenied")
        try harness.call(.get, "/photos/u2/k").expect(200)
    }

    @Test func `expired, forged, revoked and unknown credentials are rejected`() throws {
        let harness = try harness()
        let session = try harness.session()
        try harness.call(.get, "/", as: session).expect(200)
        try harness.call(.get, "/", as: harness.session(until: start)).expect(400, "ExpiredToken")
        func changed(
            id: String? = nil, secret: String? = nil, token: String? = nil
        ) -> AWSCredentials {
            AWSCredentials(
                accessKeyID: id ?? session.accessKeyID,
                secretAccessKey: secret.map { SecretBytes(utf8: $0) } ?? session.secretAccessKey,
                sessionToken: token.map { SecretBytes(utf8: $0) } ?? session.sessionToken)
        }
        try harness.call(.get, "/", as: changed(secret: "x")).expect(403, "SignatureDoesNotMatch")
        try harness.call(.get, "/", as: changed(token: "AAAA")).expect(400, "InvalidToken")
        let unknown = AWSCredentials(
            accessKeyID: "AKIANOBODY", secretAccessKey: SecretBytes(utf8: "x"))
        try harness.call(.get, "/", as: unknown).expect(403, "InvalidAccessKeyId")
        #expect(harness.authority.revocations.revoke(session.accessKeyID, issuedUpTo: start))
        try harness.call(.get, "/", as: session).expect(403, "AccessDenied")
    }

    @Test func `unsigned and outdated requests are refused`() throws {
        let harness = try harness()
        try harness.send(HTTPRequest(.get, "http://h/"), "/photos").expect(403, "AccessDenied")
        var form = HTTPRequest(.post, "http://h/")
        try harness.send(form, "/photos").expect(403, "AccessDenied")
        form.headers = [HTTPHeader("Content-Type", "multipart/form-data; boundary=edge")]
        try harness.send(form, "/photos").expect(501, "NotImplemented")
        try harness.call(.get, "/", at: start - .minutes(15)).expect(200)
        try harness.call(.get, "/", at: start - .milliseconds(901_000))
            .expect(403, "RequestTimeTooSkewed")
        try harness.call(.get, "/", at: start + .milliseconds(901_000))
            .expect(403, "RequestTimeTooSkewed")
    }

    private func presigned(
        _ harness: S3Harness, _ target: String, seconds: Int64, at moment: Instant = start
    ) throws -> HTTPResponse {
        let request = try Signer(harness.developer, region: "us-east-1", service: "s3").presign(
            HTTPRequest(.get, "http://127.0.0.1:8001\(target)"), expiresIn: .seconds(seconds),
            at: moment)
        let path = String(request.url.dropFirst("http://127.0.0.1:8001".count))
        return harness.send(
            HTTPRequest(.get, request.url, headers: [HTTPHeader("Host", "127.0.0.1:8001")]), path)
    }

    @Test func `a presigned URL is valid until it expires, only as signed`() throws {
        let harness = try harness()
        try harness.put("/photos/k", "x")
        try expectEqual(presigned(harness, "/photos/k", seconds: 60).text, "x")
        let typed = try presigned(
            harness, "/photos/k?response-content-type=a%2Fb", seconds: 604_800)
        expectEqual(typed.header("content-type"), "a/b")
        let expired = try presigned(harness, "/photos/k", seconds: 60, at: start - .seconds(60))
        try expired.expect(403, "AccessDenied")
        let document = try expired.document()
        expectEqual(document["Message"]?.text, "Request has expired")
        expectEqual(document["X-Amz-Expires"]?.text, "60")
        expectEqual(document["Expires"]?.text, "2023-11-14T22:13:20Z")
        let malformed = "AuthorizationQueryParametersError"
        for (cut, new, status, code, message) in [
            ("X-Amz-Expires=60", "a=b", 400, malformed, "Query-string authentication"),
            ("X-Amz-SignedHeaders=host", "a=b", 400, malformed, "Query-string authentication"),
            ("X-Amz-Expires=60", "X-Amz-Expires=-7", 400, malformed, "must be non-negative"),
            ("X-Amz-Expires=60", "X-Amz-Expires=604801", 400, malformed, "less than a week"),
            ("X-Amz-Expires=60", "X-Amz-Expires=0", 403, "AccessDenied", "has expired"),
        ] {
            let request = try Signer(harness.developer, region: "us-east-1", service: "s3").presign(
                HTTPRequest(.get, "http://127.0.0.1:8001/photos/k"), expiresIn: .seconds(60),
                at: start)
            let target = String(request.url.dropFirst("http://127.0.0.1:8001".count))
                .replacing(cut, with: new)
            let answer = harness.send(
                HTTPRequest(.get, "", headers: [HTTPHeader("Host", "127.0.0.1:8001")]), target)
            try answer.expect(status, code)
            try expectEqual(answer.document()["Message"]?.text.contains(message), true)
        }
    }
}
