import Bytes
import HTTP
import Testing
import XML

@Suite struct MultipartTests {
    private let big = [UInt8](repeating: 0x61, count: 5 << 20)

    private func begun(
        _ harness: S3Harness, headers: [(String, String)] = []
    ) throws -> String {
        _ = try harness.call(.put, "/photos")
        let begun = try harness.call(.post, "/photos/k?uploads", headers: headers)
        return try #require(try begun.document()["UploadId"]).text
    }

    private func upload(
        _ harness: S3Harness, _ id: String, _ number: Int, _ body: [UInt8]
    ) throws -> String {
        let put = try harness.call(
            .put, "/photos/k?partNumber=\(number)&uploadId=\(id)", body: body)
        return try #require(put.header("etag"), "\(put.text)")
    }

    private func complete(
        _ harness: S3Harness, _ id: String, _ parts: [(Int, String)],
        headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        let list = parts.map {
            "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag></Part>"
        }.joined()
        return try harness.call(
            .post, "/photos/k?uploadId=\(id)", headers: headers,
            body: Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8))
    }

    @Test func `parts become one object, in order`() throws {
        let harness = try S3Harness()
        let id = try begun(harness, headers: [("x-amz-meta-a", "b"), ("Content-Type", "x/y")])
        let last = try upload(harness, id, 7, Array("tail".utf8))
        _ = try upload(harness, id, 2, Array("replaced".utf8))
        let first = try upload(harness, id, 2, big)
        let listed = try harness.call(.get, "/photos/k?uploadId=\(id)").document()
        #expect(
            listed.children.filter { $0.name == "Part" }.map { $0["PartNumber"]?.text } == [
                "2", "7",
            ])
        let done = try complete(harness, id, [(2, first), (7, last)])
        try done.expect(200)
        let etag = try #require(try done.document()["ETag"]).text
        #expect(etag.hasSuffix("-2\""))
        let got = try harness.call(.get, "/photos/k", headers: [("Range", "bytes=5242878-")])
        #expect(got.text == "aatail")
        #expect(got.header("etag") == etag)
        #expect(got.header("x-amz-meta-a") == "b")
        #expect(got.header("content-type") == "x/y")
        #expect(try harness.call(.head, "/photos/k").header("content-length") == "5242884")
        try complete(harness, id, [(2, first)]).expect(404, "NoSuchUpload")
    }

    @Test func `an invalid list of parts does not complete an upload`() throws {
        let harness = try S3Harness()
        let id = try begun(harness)
        let one = try upload(harness, id, 1, [1])
        let two = try upload(harness, id, 2, [2])
        try complete(harness, id, [(1, one), (2, two)]).expect(400, "EntityTooSmall")
        try complete(harness, id, [(2, two), (1, one)]).expect(400, "InvalidPartOrder")
        try complete(harness, id, [(1, two)]).expect(400, "InvalidPart")
        try complete(harness, id, [(3, one)]).expect(400, "InvalidPart")
        try complete(harness, id, []).expect(400, "MalformedXML")
        try complete(harness, "none", [(1, one)]).expect(404, "NoSuchUpload")
        for number in ["0", "10001", "x", ""] {
            try harness.call(.put, "/photos/k?partNumber=\(number)&uploadId=\(id)", body: [1])
                .expect(400, "InvalidArgument")
        }
        try harness.call(.get, "/photos/k").expect(404, "NoSuchKey")
        try complete(harness, id, [(2, two)]).expect(200)
    }

    @Test func `an upload is listed until it is aborted`() throws {
        let harness = try S3Harness()
        let id = try begun(harness)
        let uploads = try harness.call(.get, "/photos?uploads").document()
        #expect(uploads["Upload"]?["Key"]?.text == "k")
        #expect(uploads["Upload"]?["UploadId"]?.text == id)
        try harness.call(.delete, "/photos/k?uploadId=\(id)").expect(204)
        try harness.call(.delete, "/photos/k?uploadId=\(id)").expect(404, "NoSuchUpload")
        #expect(try harness.call(.get, "/photos?uploads").document()["Upload"] == nil)
        try harness.call(.put, "/photos/k?partNumber=1&uploadId=\(id)", body: [1])
            .expect(404, "NoSuchUpload")
    }

    @Test func `a part may be copied, and a completion may be conditional`() throws {
        let harness = try S3Harness()
        let id = try begun(harness)
        try harness.put("/photos/source", "0123456789")
        let copied = try harness.call(
            .put, "/photos/k?partNumber=1&uploadId=\(id)",
            headers: [
                ("x-amz-copy-source", "photos/source"), ("x-amz-copy-source-range", "bytes=2-4"),
            ])
        let etag = try #require(try copied.document()["ETag"]).text
        try harness.put("/photos/k", "there")
        try complete(harness, id, [(1, etag)], headers: [("If-None-Match", "*")])
            .expect(412, "PreconditionFailed")
        try complete(harness, id, [(1, etag)]).expect(200)
        #expect(try harness.call(.get, "/photos/k").text == "234")
    }

    @Test func `checksums are composite or of the full object`() throws {
        let harness = try S3Harness()
        for (type, expected) in [("COMPOSITE", "/yETzA==-1"), ("FULL_OBJECT", "NhCmhg==")] {
            let id = try begun(
                harness,
                headers: [
                    ("x-amz-checksum-algorithm", "CRC32"), ("x-amz-checksum-type", type),
                ])
            let part = try upload(harness, id, 1, Array("hello".utf8))
            let done = try complete(harness, id, [(1, part)]).document()
            #expect(done["ChecksumType"]?.text == type)
            if type == "FULL_OBJECT" { #expect(done["ChecksumCRC32"]?.text == expected) }
            #expect(done["ChecksumCRC32"]?.text.hasSuffix("-1") == (type == "COMPOSITE"))
        }
    }
}
