import Bytes
import HTTP
import TestSupport
import Testing
import XML

/// Buckets without versioning, for clients that request versions.
@Suite struct VersionTests {
    private func harness() throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        for key in ["a/1", "a/2", "b", "c"] { try harness.put("/photos/\(key)", key) }
        return harness
    }

    @Test func `each object has one version, named null`() throws {
        let document = try harness().call(.get, "/photos?versions").document()
        expectEqual(document.name, "ListVersionsResult")
        let versions = document.children.filter { $0.name == "Version" }
        expectEqual(versions.map { $0["Key"]?.text }, ["a/1", "a/2", "b", "c"])
        #expect(versions.allSatisfy { $0["VersionId"]?.text == "null" })
        #expect(versions.allSatisfy { $0["IsLatest"]?.text == "true" })
        expectEqual(versions.last?["Owner"]?["ID"]?.text, account)
        expectEqual(document["IsTruncated"]?.text, "false")
        expectEqual(document["MaxKeys"]?.text, "1000")
    }

    @Test func `versions are paged, with prefixes`() throws {
        let harness = try harness()
        let first = try harness.call(.get, "/photos?versions&delimiter=%2F&max-keys=1").document()
        expectEqual(first["CommonPrefixes"]?["Prefix"]?.text, "a/")
        expectEqual(first["NextKeyMarker"]?.text, "a/")
        expectEqual(first["NextVersionIdMarker"], nil)
        let second = try harness.call(
            .get, "/photos?versions&delimiter=%2F&max-keys=1&key-marker=a%2F"
        ).document()
        expectEqual(second["Version"]?["Key"]?.text, "b")
        expectEqual(second["NextKeyMarker"]?.text, "b")
        expectEqual(second["NextVersionIdMarker"]?.text, "null")
        let last = try harness.call(
            .get, "/photos?versions&key-marker=b&version-id-marker=null"
        ).document()
        expectEqual(last["Version"]?["Key"]?.text, "c")
        try harness.call(.get, "/photos?versions&version-id-marker=null")
            .expect(400, "InvalidArgument")
    }

    @Test func `the version null is the object, and others are refused`() throws {
        let harness = try harness()
        try expectEqual(harness.call(.get, "/photos/b?versionId=null").text, "b")
        for version in ["", "x", "3sL4kqtJlcpXroDTDmJ%2BrmSpXd3dIbrHY"] {
            try harness.call(.get, "/photos/b?versionId=\(version)")
                .expect(400, "InvalidArgument")
        }
        try harness.call(.delete, "/photos/b?versionId=null").expect(204)
        try harness.call(.get, "/photos/b").expect(404, "NoSuchKey")
        try harness.call(
            .put, "/photos/d", headers: [("x-amz-copy-source", "/photos/c?versionId=null")]
        ).expect(200)
    }

    private func delete(_ harness: S3Harness, _ objects: String) throws -> XMLElement {
        let body = Array("<Delete>\(objects)</Delete>".utf8)
        return try harness.call(
            .post, "/photos?delete",
            headers: [("x-amz-checksum-sha256", Base64.encode(sha256(body)))], body: body
        ).document()
    }

    @Test func `many objects are deleted by version and by entity tag`() throws {
        let harness = try harness()
        let etag = try #require(try harness.call(.head, "/photos/c").header("etag"))
        let answer = try delete(
            harness,
            """
            <Object><Key>b</Key><VersionId>null</VersionId></Object>\
            <Object><Key>a/1</Key><ETag>"other"</ETag></Object>\
            <Object><Key>c</Key><ETag>\(etag)</ETag></Object>
            """)
        let deleted = answer.children.filter { $0.name == "Deleted" }
        expectEqual(deleted.map { $0["Key"]?.text }, ["b", "c"])
        expectEqual(deleted.first?["VersionId"]?.text, "null")
        expectEqual(answer["Error"]?["Key"]?.text, "a/1")
        expectEqual(answer["Error"]?["Code"]?.text, "PreconditionFailed")
        try harness.call(.get, "/photos/a/1").expect(200)
    }

    @Test func `an object is deleted only with its entity tag`() throws {
        let harness = try harness()
        let etag = try #require(try harness.call(.head, "/photos/c").header("etag"))
        func delete(_ name: String, _ value: String) throws -> HTTPResponse {
            try harness.call(.delete, "/photos/c", headers: [(name, value)])
        }
        try delete("If-Match", "\"other\"").expect(412, "PreconditionFailed")
        try delete("x-amz-if-match-size", "1").expect(501, "NotImplemented")
        try delete("x-amz-if-match-last-modified-time", "x").expect(501, "NotImplemented")
        try harness.call(.get, "/photos/c").expect(200)
        try delete("If-Match", etag).expect(204)
        // Deleting an object that no longer exists succeeds.
        try delete("If-Match", etag).expect(204)
        try harness.put("/photos/c", "x")
        try delete("If-Match", "*").expect(204)
    }

    @Test func `buckets are listed in pages`() throws {
        let harness = try harness()
        for name in ["album", "posters", "zoo"] { _ = try harness.call(.put, "/\(name)") }
        func list(_ query: String) throws -> XMLElement {
            try harness.call(.get, "/?\(query)", region: "us-east-1").document()
        }
        func names(_ document: XMLElement) -> [String?] {
            document["Buckets"]?.children.map { $0["Name"]?.text } ?? []
        }
        let first = try list("max-buckets=3")
        expectEqual(names(first), ["album", "photos", "posters"])
        expectEqual(first["Buckets"]?.children.first?["BucketRegion"]?.text, "us-east-1")
        let token = try #require(first["ContinuationToken"]?.text)
        let second = try list("max-buckets=3&continuation-token=\(token)")
        expectEqual(names(second), ["zoo"])
        expectEqual(second["ContinuationToken"], nil)
        let prefixed = try list("prefix=p&continuation-token=")
        expectEqual(names(prefixed), ["photos", "posters"])
        expectEqual(prefixed["Prefix"]?.text, "p")
        expectEqual(names(try list("bucket-region=eu-west-1")), [])
        for query in ["max-buckets=0", "max-buckets=10001", "max-buckets=x"] {
            try harness.call(.get, "/?\(query)").expect(400, "InvalidArgument")
        }
        try harness.call(.get, "/?continuation-token=%21").expect(400, "InvalidArgument")
    }
}
