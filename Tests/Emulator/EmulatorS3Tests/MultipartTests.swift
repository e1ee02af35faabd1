import Bytes
import HTTP
import TestSupport
import Testing
import Time
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
        expectEqual(
            listed.children.filter { $0.name == "Part" }.map { $0["PartNumber"]?.text },
            [
                "2", "7",
            ])
        let done = try complete(harness, id, [(2, first), (7, last)])
        try done.expect(200)
        let etag = try #require(try done.document()["ETag"]).text
        #expect(etag.hasSuffix("-2\""))
        let got = try harness.call(.get, "/photos/k", headers: [("Range", "bytes=5242878-")])
        expectEqual(got.text, "aatail")
        expectEqual(got.header("etag"), etag)
        expectEqual(got.header("x-amz-meta-a"), "b")
        expectEqual(got.header("content-type"), "x/y")
        try expectEqual(harness.call(.head, "/photos/k").header("content-length"), "5242884")
        // The client may repeat the request, for the same object only.
        let again = try complete(harness, id, [(2, first), (7, last)])
        expectEqual(again.body, done.body)
        try complete(harness, id, [(2, first)]).expect(404, "NoSuchUpload")
        try harness.put("/photos/k", "another")
        try complete(harness, id, [(2, first), (7, last)]).expect(404, "NoSuchUpload")
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
        try complete(harness, id, []).expect(400, "InvalidRequest")
        try harness.call(.post, "/photos/k?uploadId=\(id)").expect(400, "MalformedXML")
        try complete(harness, "none", [(1, one)]).expect(404, "NoSuchUpload")
        for number in ["0", "10001", "x", ""] {
            try harness.call(.put, "/photos/k?partNumber=\(number)&uploadId=\(id)", body: [1])
                .expect(400, "InvalidArgument")
        }
        try harness.call(.get, "/photos/k").expect(404, "NoSuchKey")
        // A part listed twice: the last entry counts.
        try complete(harness, id, [(2, one), (2, two)]).expect(200)
    }

    @Test func `an upload is listed until it is aborted`() throws {
        let harness = try S3Harness()
        let id = try begun(harness)
        let uploads = try harness.call(.get, "/photos?uploads").document()
        expectEqual(uploads["Upload"]?["Key"]?.text, "k")
        expectEqual(uploads["Upload"]?["UploadId"]?.text, id)
        try harness.call(.delete, "/photos/k?uploadId=\(id)").expect(204)
        try harness.call(.delete, "/photos/k?uploadId=\(id)").expect(404, "NoSuchUpload")
        try expectEqual(harness.call(.get, "/photos?uploads").document()["Upload"], nil)
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
        try expectEqual(harness.call(.get, "/photos/k").text, "234")
    }

    @Test func `an upload fails if its object was written meanwhile`() throws {
        let harness = try S3Harness()
        let later = try harness.later(.minutes(1))
        _ = try harness.call(.put, "/photos")
        let old = try #require(try harness.put("/photos/k", "old").header("etag"))
        let id = try begun(harness)
        let part = try upload(harness, id, 1, [1])
        let new = try later.call(
            .put, "/photos/k", body: Array("new".utf8), at: start + .minutes(1))
        let etag = try #require(new.header("etag"))
        try complete(harness, id, [(1, part)], headers: [("If-Match", old)])
            .expect(412, "PreconditionFailed")
        try complete(harness, id, [(1, part)], headers: [("If-Match", etag)])
            .expect(409, "ConditionalRequestConflict")
        try complete(harness, id, [(1, part)], headers: [("If-None-Match", "*")])
            .expect(412, "PreconditionFailed")
        try complete(harness, id, [(1, part)], headers: [("x-amz-mp-object-size", "2")])
            .expect(400, "InvalidRequest")
        try complete(harness, id, [(1, part)], headers: [("x-amz-mp-object-size", "1")])
            .expect(200)
    }

    @Test(arguments: [
        ("2-4", "InvalidArgument"), ("bytes=2", "InvalidArgument"),
        ("bytes=-2", "InvalidArgument"), ("bytes=2-", "InvalidArgument"),
        ("bytes=4-2", "InvalidArgument"), ("bytes=0-1,3-4", "InvalidArgument"),
        ("bytes=0-10", "InvalidArgument"), ("bytes=10-11", "InvalidRequest"),
    ])
    func `a part is copied from a range within the source`(range: String, code: String) throws {
        let harness = try S3Harness()
        let id = try begun(harness)
        try harness.put("/photos/source", "0123456789")
        try harness.call(
            .put, "/photos/k?partNumber=1&uploadId=\(id)",
            headers: [("x-amz-copy-source", "photos/source"), ("x-amz-copy-source-range", range)]
        ).expect(400, code)
    }
}
