import HTTP
import TestSupport
import Testing
import XML

/// Amazon S3 User Guide, "Checking object integrity for data uploads".
@Suite struct UploadChecksumTests {
    private static let type = "x-amz-checksum-type"
    private static let algorithm = "x-amz-checksum-algorithm"

    private func begun(
        _ harness: S3Harness, _ headers: [(String, String)]
    ) throws -> (id: String, answer: HTTPResponse) {
        _ = try harness.call(.put, "/photos")
        let answer = try harness.call(.post, "/photos/k?uploads", headers: headers)
        try answer.expect(200)
        return (try #require(try answer.document()["UploadId"]).text, answer)
    }

    /// Uploads `hello` as part 1.
    private func upload(
        _ harness: S3Harness, _ id: String, _ headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try harness.call(
            .put, "/photos/k?partNumber=1&uploadId=\(id)", headers: headers,
            body: Array("hello".utf8))
    }

    private func complete(
        _ harness: S3Harness, _ id: String, part: String = "", _ headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try harness.call(
            .post, "/photos/k?uploadId=\(id)", headers: headers,
            body: Array(
                """
                <CompleteMultipartUpload><Part><PartNumber>1</PartNumber>\
                <ETag>5d41402abc4b2a76b9719d911017c592</ETag>\(part)</Part></CompleteMultipartUpload>
                """.utf8))
    }

    @Test(
        arguments: [
            ([(algorithm, "MD5")], "Checksum algorithm provided is unsupported."),
            ([(type, "COMPOSITE")], "The x-amz-checksum-type header can only be used with"),
            (
                [(algorithm, "CRC32"), (type, "BOTH")],
                "Value for x-amz-checksum-type header is invalid."
            ),
            (
                [(algorithm, "SHA256"), (type, "FULL_OBJECT")],
                "The FULL_OBJECT checksum type cannot be used with the sha256 checksum algorithm."
            ),
            (
                [(algorithm, "CRC64NVME"), (type, "COMPOSITE")],
                "The COMPOSITE checksum type cannot be used with the crc64nvme checksum algorithm."
            ),
        ] as [([(String, String)], String)])
    func `an upload needs a possible combination of checksum and type`(
        headers: [(String, String)], message: String
    ) throws {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        let answer = try harness.call(.post, "/photos/k?uploads", headers: headers)
        try answer.expect(400, "InvalidRequest")
        try expectEqual(answer.document()["Message"]?.text.hasPrefix(message), true)
    }

    @Test(
        arguments: [
            ("CRC32", nil, "COMPOSITE"), ("CRC32C", "FULL_OBJECT", "FULL_OBJECT"),
            ("CRC64NVME", nil, "FULL_OBJECT"), ("sha1", "COMPOSITE", "COMPOSITE"),
        ] as [(String, String?, String)])
    func `the response names algorithm and type`(
        algorithm: String, type: String?, expected: String
    ) throws {
        let (_, answer) = try begun(
            try S3Harness(),
            [(Self.algorithm, algorithm)] + (type.map { [(Self.type, $0)] } ?? []))
        expectEqual(answer.header(Self.algorithm), algorithm.uppercased())
        expectEqual(answer.header(Self.type), expected)
    }

    @Test func `a part has the upload's algorithm, or none`() throws {
        let harness = try S3Harness()
        let (id, _) = try begun(harness, [(Self.algorithm, "CRC32")])
        let other = try upload(harness, id, [("x-amz-checksum-crc32c", "mnG7TA==")])
        try other.expect(400, "InvalidRequest")
        try expectEqual(
            other.document()["Message"]?.text,
            "Checksum Type mismatch occurred, expected checksum Type: crc32, actual "
                + "checksum Type: crc32c")
        try expectEqual(upload(harness, id).header("x-amz-checksum-crc32"), "NhCmhg==")
        let (plain, _) = try begun(harness, [])
        let put = try upload(harness, plain, [("x-amz-checksum-crc32c", "mnG7TA==")])
        expectEqual(put.header("x-amz-checksum-crc32c"), "mnG7TA==")
        let listed = try harness.call(.get, "/photos/k?uploadId=\(plain)").document()
        expectEqual(listed["Part"]?["ChecksumCRC32C"], nil)
    }

    private static let part = "<ChecksumCRC32>NhCmhg==</ChecksumCRC32>"
    private static let crc32 = "x-amz-checksum-crc32"

    @Test(
        arguments: [
            ("", [], "InvalidRequest"), ("<ChecksumSHA1>x</ChecksumSHA1>", [], "BadDigest"),
            ("<ChecksumCRC32>NhCmhA==</ChecksumCRC32>", [], "InvalidPart"),
            (part, [(type, "FULL_OBJECT")], "InvalidRequest"),
            (part, [(crc32, "bad")], "BadDigest"),
            (part, [(crc32, "NhCmhg==")], "BadDigest"),
            (part, [("x-amz-checksum-crc32c", "mnG7TA==")], "BadDigest"), (part, [], nil),
            (part, [(type, "COMPOSITE"), (crc32, "FKTmaw==-1")], nil),
        ] as [(String, [(String, String)], String?)])
    func `a composite checksum is compared with the parts'`(
        part: String, headers: [(String, String)], code: String?
    ) throws {
        let harness = try S3Harness()
        let (id, _) = try begun(harness, [(Self.algorithm, "CRC32")])
        _ = try upload(harness, id)
        let done = try complete(harness, id, part: part, headers)
        try done.expect(code == nil ? 200 : 400, code)
        guard code == nil else { return }
        try expectEqual(done.document()["ChecksumCRC32"]?.text, "FKTmaw==-1")
        try expectEqual(done.document()["ChecksumType"]?.text, "COMPOSITE")
    }

    @Test(
        arguments: [
            ([], nil), ([(type, "FULL_OBJECT"), (crc32, "NhCmhg==")], nil),
            // The checksum of a full object is not accepted without its type.
            ([(crc32, "NhCmhg==")], "BadDigest"),
            ([(type, "FULL_OBJECT"), (crc32, "NhCmhA==")], "BadDigest"),
            ([(type, "COMPOSITE")], "InvalidRequest"),
        ] as [([(String, String)], String?)])
    func `the checksum of a full object is compared with its bytes`(
        headers: [(String, String)], code: String?
    ) throws {
        let harness = try S3Harness()
        let (id, _) = try begun(
            harness, [(Self.algorithm, "CRC32"), (Self.type, "FULL_OBJECT")])
        _ = try upload(harness, id)
        let done = try complete(harness, id, headers)
        try done.expect(code == nil ? 200 : 400, code)
        guard code == nil else { return }
        try expectEqual(done.document()["ChecksumCRC32"]?.text, "NhCmhg==")
    }

    @Test func `an upload without a checksum accepts none at completion`() throws {
        let harness = try S3Harness()
        let (id, _) = try begun(harness, [])
        _ = try upload(harness, id)
        try complete(harness, id, part: Self.part).expect(400, "InvalidPart")
        let typed = try complete(harness, id, [(Self.type, "COMPOSITE")])
        try typed.expect(400, "InvalidRequest")
        try expectEqual(typed.document()["Message"]?.text.contains("the null checksum mode"), true)
        try complete(harness, id).expect(200)
    }
}
