import Bytes
import HTTP
import TestSupport
import Testing
import XML

/// Requests for one part of an object, and for the attributes of an object.
@Suite struct PartTests {
    private let big = [UInt8](repeating: 0x61, count: 5 << 20)

    /// An object of the parts 1 (of five MiB) and 3 (`tail`).
    private func harness(_ headers: [(String, String)] = []) throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        let begun = try harness.call(.post, "/photos/k?uploads", headers: headers)
        let id = try #require(try begun.document()["UploadId"]).text
        var list = ""
        for (number, body) in [(1, big), (3, Array("tail".utf8))] {
            let put = try harness.call(
                .put, "/photos/k?partNumber=\(number)&uploadId=\(id)", body: body)
            let etag = try #require(put.header("etag"))
            list += "<Part><PartNumber>\(number)</PartNumber><ETag>\(etag)</ETag>"
            if let checksum = put.header("x-amz-checksum-sha256") {
                list += "<ChecksumSHA256>\(checksum)</ChecksumSHA256>"
            }
            list += "</Part>"
        }
        try harness.call(
            .post, "/photos/k?uploadId=\(id)",
            body: Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8)
        ).expect(200)
        return harness
    }

    private static let tail = "DGL4du8d6oMN6fMsL0tG3W101Q0ViW4J71ovzUrH4dc="
    private let composed = [("x-amz-checksum-algorithm", "SHA256")]

    @Test func `a part is returned as a range of the object`() throws {
        let harness = try harness()
        for method in [HTTPRequest.Method.get, .head] {
            let part = try harness.call(method, "/photos/k?partNumber=3")
            try part.expect(206)
            expectEqual(part.text, method == .get ? "tail" : "")
            expectEqual(part.header("content-range"), "bytes 5242880-5242883/5242884")
            expectEqual(part.header("x-amz-mp-parts-count"), "2")
            expectEqual(part.header("etag")?.hasSuffix("-2\""), true)
            expectEqual(part.header("x-amz-checksum-parts"), nil)
        }
        try expectEqual(harness.call(.get, "/photos/k?partNumber=1").body, big)
        try expectEqual(harness.call(.get, "/photos/k").header("x-amz-checksum-parts"), nil)
    }

    @Test func `a part that does not exist is refused`() throws {
        let harness = try harness()
        let answer = try harness.call(.get, "/photos/k?partNumber=2")
        try answer.expect(416, "InvalidPartNumber")
        try expectEqual(answer.document()["PartNumberRequested"]?.text, "2")
        try expectEqual(answer.document()["ActualPartCount"]?.text, "2")
        for number in ["0", "10001", "x", ""] {
            try harness.call(.get, "/photos/k?partNumber=\(number)")
                .expect(400, "InvalidArgument")
        }
        try harness.call(.get, "/photos/k?partNumber=1", headers: [("Range", "bytes=0-1")])
            .expect(400, "InvalidRequest")
    }

    @Test func `an object from a single upload has one part`() throws {
        let harness = try harness()
        try harness.put("/photos/plain", "abc")
        let part = try harness.call(.get, "/photos/plain?partNumber=1")
        try part.expect(206)
        expectEqual(part.text, "abc")
        expectEqual(part.header("content-range"), "bytes 0-2/3")
        expectEqual(part.header("x-amz-mp-parts-count"), nil)
        try harness.call(.get, "/photos/plain?partNumber=2").expect(416, "InvalidPartNumber")
        try harness.put("/photos/empty", "")
        try harness.call(.get, "/photos/empty?partNumber=1").expect(200)
    }

    @Test func `a part has its own checksum if the object's is composed of them`() throws {
        let wanted = [("x-amz-checksum-mode", "ENABLED")]
        let harness = try harness(composed)
        let name = "x-amz-checksum-sha256"
        let part = try harness.call(.get, "/photos/k?partNumber=3", headers: wanted)
        expectEqual(part.header(name), Self.tail)
        expectEqual(part.header("x-amz-checksum-type"), "COMPOSITE")
        expectEqual(part.header("x-amz-checksum-parts"), nil)
        let whole = try harness.call(.get, "/photos/k", headers: wanted)
        expectEqual(whole.header(name)?.hasSuffix("-2"), true)
        expectEqual(whole.header("x-amz-checksum-parts"), nil)
        let range = try harness.call(.get, "/photos/k", headers: wanted + [("Range", "bytes=0-3")])
        expectEqual(range.header(name), nil)
        try expectEqual(harness.call(.get, "/photos/k").header(name), nil)
        let full = try self.harness(
            [("x-amz-checksum-algorithm", "CRC32"), ("x-amz-checksum-type", "FULL_OBJECT")])
        let plain = try full.call(.get, "/photos/k?partNumber=3", headers: wanted)
        expectEqual(plain.header("x-amz-checksum-crc32"), nil)
    }

    private func attributes(
        _ harness: S3Harness, _ names: String, _ target: String = "/photos/k",
        headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try harness.call(
            .get, "\(target)?attributes",
            headers: [("x-amz-object-attributes", names)] + headers)
    }

    private let all = "ETag,Checksum, ObjectParts,StorageClass,ObjectSize"

    @Test func `only requested attributes are returned`() throws {
        let harness = try harness(composed)
        let answer = try attributes(harness, all)
        expectEqual(answer.header("last-modified"), "Tue, 14 Nov 2023 22:13:20 GMT")
        let document = try answer.document()
        expectEqual(document.name, "GetObjectAttributesResponse")
        expectEqual(document["ETag"]?.text.hasSuffix("-2"), true)
        expectEqual(document["ObjectSize"]?.text, "5242884")
        expectEqual(document["StorageClass"]?.text, "STANDARD")
        expectEqual(document["Checksum"]?["ChecksumType"]?.text, "COMPOSITE")
        expectEqual(document["Checksum"]?["ChecksumSHA256"]?.text.contains("-"), false)
        let parts = try #require(document["ObjectParts"])
        expectEqual(parts["PartsCount"]?.text, "2")
        expectEqual(parts["IsTruncated"]?.text, "false")
        let listed = parts.children.filter { $0.name == "Part" }
        expectEqual(listed.map { $0["PartNumber"]?.text }, ["1", "3"])
        expectEqual(listed.map { $0["Size"]?.text }, ["5242880", "4"])
        expectEqual(listed.last?["ChecksumSHA256"]?.text, Self.tail)
        let few = try attributes(harness, "ObjectSize").document()
        expectEqual(few.children.map(\.name), ["ObjectSize"])
    }

    @Test func `parts are paged, and listed only with their own checksums`() throws {
        let harness = try harness(composed)
        let page = try attributes(harness, all, headers: [("x-amz-max-parts", "1")]).document()
        expectEqual(page["ObjectParts"]?["IsTruncated"]?.text, "true")
        expectEqual(page["ObjectParts"]?["NextPartNumberMarker"]?.text, "1")
        expectEqual(page["ObjectParts"]?["Part"]?["PartNumber"]?.text, "1")
        let rest = try attributes(
            harness, all,
            headers: [("x-amz-max-parts", "1"), ("x-amz-part-number-marker", "1")]
        ).document()
        expectEqual(rest["ObjectParts"]?["IsTruncated"]?.text, "false")
        expectEqual(rest["ObjectParts"]?["Part"]?["PartNumber"]?.text, "3")
        let plain = try attributes(self.harness(), all).document()
        expectEqual(plain["ObjectParts"]?.children.map(\.name), ["PartsCount"])
        expectEqual(plain["Checksum"], nil)
    }

    @Test func `an object from a single upload has no parts to list`() throws {
        let harness = try harness()
        try harness.put("/photos/plain", "hello", headers: [("x-amz-checksum-crc32", "NhCmhg==")])
        let document = try attributes(harness, all, "/photos/plain").document()
        expectEqual(document["ObjectParts"], nil)
        expectEqual(document["Checksum"]?["ChecksumCRC32"]?.text, "NhCmhg==")
        expectEqual(document["Checksum"]?["ChecksumType"]?.text, "FULL_OBJECT")
        try attributes(harness, all, "/photos/none").expect(404, "NoSuchKey")
        try attributes(harness, "Color").expect(400, "InvalidArgument")
        try harness.call(.get, "/photos/k?attributes").expect(400, "InvalidRequest")
    }

    @Test func `a copy has no parts`() throws {
        let harness = try harness(composed)
        let copied = try harness.call(
            .put, "/photos/c", headers: [("x-amz-copy-source", "/photos/k")])
        #expect(try copied.document()["ChecksumSHA256"] != nil)
        let document = try attributes(harness, all, "/photos/c").document()
        expectEqual(document["ObjectParts"], nil)
        expectEqual(document["Checksum"]?["ChecksumType"]?.text, "FULL_OBJECT")
    }
}
