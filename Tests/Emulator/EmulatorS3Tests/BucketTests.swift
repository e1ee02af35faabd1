import HTTP
import TestSupport
import Testing
import Time
import XML

@Suite struct BucketTests {
    @Test func `a bucket is created, exists, and is deleted when empty`() throws {
        let harness = try S3Harness()
        let made = try harness.call(.put, "/photos")
        try made.expect(200)
        expectEqual(made.header("location"), "/photos")
        try harness.call(.put, "/photos").expect(409, "BucketAlreadyOwnedByYou")
        try harness.call(.put, "/photos", region: "us-east-1").expect(200)
        try harness.call(.head, "/photos").expect(200)
        let list = try harness.call(.get, "/").document()
        expectEqual(list["Buckets"]?.children.map { $0["Name"]?.text }, ["photos"])
        expectEqual(list["Buckets"]?["Bucket"]?["CreationDate"]?.text, "2023-11-14T22:13:20.000Z")
        try expectEqual(harness.call(.get, "/photos?location").document().text, "eu-west-1")
        try harness.put("/photos/k", "x")
        try harness.call(.delete, "/photos").expect(409, "BucketNotEmpty")
        _ = try harness.call(.delete, "/photos/k")
        _ = try harness.call(.post, "/photos/part?uploads")
        try harness.call(.delete, "/photos").expect(204)
        try harness.call(.delete, "/photos").expect(404, "NoSuchBucket")
        try harness.call(.head, "/photos").expect(404)
    }

    @Test(arguments: [
        "ab", "Photos", "-photos", "photos-", "pho..tos", "127.0.0.1", "pho_tos", "a%2Fb",
        String(repeating: "a", count: 64),
    ])
    func `an invalid name is refused`(name: String) throws {
        try S3Harness().call(.put, "/\(name)").expect(400, "InvalidBucketName")
    }

    @Test(arguments: [
        ("eu-west-1", "eu-west-1", nil), ("eu-west-1", "us-east-1", nil),
        ("EU", "us-east-1", nil), ("us-east-1", "us-east-1", "InvalidLocationConstraint"),
        ("aws-global", "us-east-1", "InvalidLocationConstraint"),
        ("foo", "eu-west-1", "InvalidLocationConstraint"),
        ("us-west-2", "eu-west-1", "IllegalLocationConstraintException"),
    ])
    func `a location must be the endpoint's region`(
        location: String, region: String, code: String?
    ) throws {
        let body = """
            <CreateBucketConfiguration><LocationConstraint>\(location)</LocationConstraint>\
            </CreateBucketConfiguration>
            """
        try S3Harness().call(.put, "/photos", body: Array(body.utf8), region: region)
            .expect(code == nil ? 200 : 400, code)
    }

    @Test func `a malformed configuration creates no bucket`() throws {
        let harness = try S3Harness()
        try harness.call(.put, "/photos", body: Array("<Bucket/>".utf8))
            .expect(400, "MalformedXML")
        try harness.call(.head, "/photos").expect(404)
    }

    @Test func `a bucket may be in the host name`() throws {
        let harness = try S3Harness()
        let host = [("Host", "photos.s3.localhost:8001")]
        try harness.call(.put, "/", headers: host).expect(200)
        try harness.call(.put, "/k", headers: host, body: [1]).expect(200)
        try expectEqual(harness.call(.get, "/photos/k").body, [1])
    }
}
