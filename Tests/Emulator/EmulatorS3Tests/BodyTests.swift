import AWSSignature
import Bytes
import Cryptography
import EmulatorIAM
import HTTP
import TestSupport
import Testing
import Time

func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

@Suite struct BodyTests {
    private func harness() throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        return harness
    }

    /// Signs with a payload constant that `Signer` does not support.
    private func send(
        _ harness: S3Harness, payload: String, headers: [(String, String)] = [],
        body: (_ signature: String) -> String
    ) throws -> HTTPResponse {
        let timestamp = "20231114T221320Z"
        let scope = SigningScope(date: "20231114", region: "us-east-1", service: "s3")
        var all =
            [
                HTTPHeader("Host", "h"), HTTPHeader("x-amz-date", timestamp),
                HTTPHeader("x-amz-content-sha256", payload),
            ] + headers.map { HTTPHeader($0.0, $0.1) }
        let canonical = CanonicalRequest(
            SignableRequest(method: "PUT", path: "/photos/k", query: "", headers: all),
            signing: Set(all.map { $0.name.lowercased() }), payloadHash: payload, path: .s3)
        let signature = scope.signature(
            of: scope.stringToSign(canonical, at: timestamp),
            secret: harness.developer.secretAccessKey)
        all.append(
            HTTPHeader(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(harness.developer.accessKeyID)/\(scope.text), "
                    + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"))
        return harness.send(
            HTTPRequest(.put, "http://h/", headers: all, body: Array(body(signature).utf8)),
            "/photos/k")
    }

    private static let trailing = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    private static let crc = "x-amz-checksum-crc32"

    @Test func `chunks are decoded, and the trailer is verified`() throws {
        let harness = try harness()
        let put = try send(
            harness, payload: Self.trailing,
            headers: [("x-amz-decoded-content-length", "11"), ("x-amz-trailer", Self.crc)]
        ) { _ in "6\r\nhello \r\n5\r\nworld\r\n0\r\n\(Self.crc):DUoRhQ==\r\n\r\n" }
        try put.expect(200)
        expectEqual(put.header(Self.crc), "DUoRhQ==")
        let got = try harness.call(.get, "/photos/k", headers: [("x-amz-checksum-mode", "ENABLED")])
        expectEqual(got.text, "hello world")
        expectEqual(got.header(Self.crc), "DUoRhQ==")
        expectEqual(got.header("x-amz-checksum-type"), "FULL_OBJECT")
        try expectEqual(harness.call(.get, "/photos/k").header(Self.crc), nil)
    }

    @Test(arguments: [
        ("6\r\nhello \r\n0\r\n\(crc):DUoRhQ==\r\n\r\n", 400, "IncompleteBody"),
        ("c\r\nhello world!\r\n0\r\n\(crc):DUoRhQ==\r\n\r\n", 400, "IncompleteBody"),
        ("b\r\nhello world", 400, "IncompleteBody"),
        ("b\r\nhello worldX\r\n", 400, "IncompleteBody"),
        ("ffffffff\r\nhello world\r\n", 400, "IncompleteBody"),
        ("fffffffff\r\nhello world\r\n", 400, "IncompleteBody"),
        ("-b\r\nhello world\r\n", 400, "IncompleteBody"), ("\r\n", 400, "IncompleteBody"),
        ("", 400, "IncompleteBody"),
        ("b\r\nhello world\r\n0\r\n\r\n", 400, "MalformedTrailerError"),
        ("b\r\nhello world\r\n0\r\nnonsense\r\n\r\n", 400, "MalformedTrailerError"),
        ("b\r\nhello world\r\n0\r\n\(crc):AAAAAA==\r\n\r\n", 400, "BadDigest"),
        ("b\r\nhello world\r\n0\r\n\(crc):AAAA\r\n\r\n", 400, "InvalidRequest"),
    ])
    func `invalid chunked bodies store nothing`(body: String, status: Int, code: String) throws {
        let harness = try harness()
        try send(
            harness, payload: Self.trailing,
            headers: [("x-amz-decoded-content-length", "11"), ("x-amz-trailer", Self.crc)]
        ) { _ in body }.expect(status, code)
        try harness.call(.get, "/photos/k").expect(404, "NoSuchKey")
    }

    /// Signed chunks, beginning with the request's signature.
    private func signedChunks(_ harness: S3Harness, _ chunks: [String], _ seed: String) -> String {
        let scope = SigningScope(date: "20231114", region: "us-east-1", service: "s3")
        let key = scope.key(from: harness.developer.secretAccessKey)
        var previous = seed
        return (chunks + [""]).map { chunk in
            let text = """
                AWS4-HMAC-SHA256-PAYLOAD
                20231114T221320Z
                \(scope.text)
                \(previous)
                \(Hex.encode(sha256([])))
                \(Hex.encode(sha256(Array(chunk.utf8))))
                """
            previous = Hex.encode(HMAC.sha256(Array(text.utf8), key: key))
            let size = String(chunk.utf8.count, radix: 16)
            return "\(size);chunk-signature=\(previous)\r\n\(chunk)\r\n"
        }.joined()
    }

    @Test func `signed chunks are verified one by one`() throws {
        let harness = try harness()
        let headers = [("x-amz-decoded-content-length", "11")]
        let payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
        try send(harness, payload: payload, headers: headers) {
            signedChunks(harness, ["hello ", "world"], $0)
        }.expect(200)
        try expectEqual(harness.call(.get, "/photos/k").text, "hello world")
        _ = try harness.call(.delete, "/photos/k")
        for change in [
            ("world", "w0rld"), ("chunk-signature=", "chunk-signature=0"), (";chunk", ";c"),
        ] {
            try send(harness, payload: payload, headers: headers) {
                signedChunks(harness, ["hello ", "world"], $0).replacing(change.0, with: change.1)
            }.expect(403, "SignatureDoesNotMatch")
        }
        try send(harness, payload: payload, headers: headers) {
            signedChunks(harness, ["hello ", "world"], String($0.reversed()))
        }.expect(403, "SignatureDoesNotMatch")
        try harness.call(.get, "/photos/k").expect(404, "NoSuchKey")
    }

    @Test func `a body that does not match its hash is refused`() throws {
        let harness = try harness()
        let other = Hex.encode(sha256([1]))
        try send(harness, payload: other) { _ in "x" }.expect(400, "XAmzContentSHA256Mismatch")
        try send(harness, payload: "UNSIGNED-PAYLOAD") { _ in "x" }.expect(200)
        try send(harness, payload: "something") { _ in "x" }.expect(400, "InvalidArgument")
    }

    @Test(arguments: [
        ("Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==", nil),
        ("Content-MD5", "XUFAKrxLKna5cZ2REBfFkA==", "BadDigest"),
        ("Content-MD5", "XUFAKrxLKna5", "InvalidDigest"), ("Content-MD5", "?", "InvalidDigest"),
        ("x-amz-checksum-crc32", "NhCmhg==", nil),
        ("x-amz-checksum-crc32c", "mnG7TA==", nil),
        ("x-amz-checksum-crc64nvme", "M3eFcAZSQlc=", nil),
        ("x-amz-checksum-sha1", "qvTGHdzF6KLavt4PO0gs2a6pQ00=", nil),
        ("x-amz-checksum-sha256", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", nil),
        ("x-amz-checksum-crc32", "NhCmhA==", "BadDigest"),
        ("x-amz-checksum-crc32c", "NhCmhg==", "BadDigest"),
        ("x-amz-checksum-sha1", "NhCmhg==", "InvalidRequest"),
    ])
    func `each digest is compared with the body`(name: String, value: String, code: String?) throws
    {
        let harness = try harness()
        try harness.put("/photos/k", "hello", headers: [(name, value)])
            .expect(code == nil ? 200 : 400, code)
    }

    @Test func `two checksums are refused`() throws {
        let harness = try harness()
        try harness.put(
            "/photos/k", "hello",
            headers: [
                ("x-amz-checksum-crc32", "NhCmhg=="), ("x-amz-checksum-crc32c", "mnG7TA=="),
            ]
        ).expect(400, "InvalidRequest")
    }
}
