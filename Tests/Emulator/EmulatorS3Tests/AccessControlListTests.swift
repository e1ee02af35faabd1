import HTTP
import TestSupport
import Testing
import XML

/// Amazon S3 User Guide, "Controlling ownership of objects and disabling ACLs for your bucket".
@Suite struct AccessControlListTests {
    private func harness() throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        try harness.put("/photos/k", "x")
        return harness
    }

    @Test(arguments: ["/photos?acl", "/photos/k?acl"])
    func `reading an ACL shows the owner's full control`(target: String) throws {
        let answer = try harness().call(.get, target)
        let document = try answer.document()
        let grant = document["AccessControlList"]?["Grant"]
        expectEqual(document["Owner"]?["ID"]?.text, account)
        expectEqual(grant?["Grantee"]?["ID"]?.text, account)
        expectEqual(grant?["Permission"]?.text, "FULL_CONTROL")
        #expect(answer.text.contains("xsi:type=\"CanonicalUser\""))
    }

    @Test(
        arguments: [
            (.put, "/photos/n", "x-amz-acl", "public-read", 400),
            (.put, "/photos/n", "x-amz-acl", "private", 400),
            (.put, "/photos/n", "x-amz-grant-read", "id=\"1\"", 400),
            (.put, "/photos/n", "x-amz-acl", "bucket-owner-full-control", 200),
            (.post, "/photos/n?uploads", "x-amz-acl", "public-read", 400),
            (.post, "/photos/n?uploads", "x-amz-acl", "bucket-owner-full-control", 200),
            (.put, "/photos?acl", "x-amz-acl", "private", 400),
            (.put, "/photos/k?acl", "x-amz-acl", "public-read", 400),
            (.put, "/photos/k?acl", "x-amz-acl", "bucket-owner-full-control", 200),
            (.put, "/photos/k?acl", "x-amz-meta-a", "b", 400),
        ] as [(HTTPRequest.Method, String, String, String, Int)])
    func `only the owner's full control may be requested`(
        method: HTTPRequest.Method, target: String, name: String, value: String, status: Int
    ) throws {
        try harness().call(method, target, headers: [(name, value)])
            .expect(status, status == 200 ? nil : "AccessControlListNotSupported")
    }

    @Test func `a copy may not have an ACL either`() throws {
        let harness = try harness()
        for directive in ["COPY", "REPLACE"] {
            try harness.call(
                .put, "/photos/n",
                headers: [
                    ("x-amz-copy-source", "/photos/k"), ("x-amz-acl", "public-read"),
                    ("x-amz-metadata-directive", directive),
                ]
            ).expect(400, "AccessControlListNotSupported")
        }
    }

    @Test(arguments: [
        ("x-amz-acl", "private", nil), ("x-amz-object-ownership", "BucketOwnerEnforced", nil),
        ("x-amz-acl", "public-read", "InvalidBucketAclWithObjectOwnership"),
        ("x-amz-grant-read", "id=\"1\"", "InvalidBucketAclWithObjectOwnership"),
        ("x-amz-object-ownership", "ObjectWriter", "NotImplemented"),
    ])
    func `a bucket is created without an ACL`(name: String, value: String, code: String?) throws {
        let status = code == nil ? 200 : code == "NotImplemented" ? 501 : 400
        try S3Harness().call(.put, "/photos", headers: [(name, value)]).expect(status, code)
    }

    @Test func `the bucket owner is enforced`() throws {
        let document = try harness().call(.get, "/photos?ownershipControls").document()
        expectEqual(document["Rule"]?["ObjectOwnership"]?.text, "BucketOwnerEnforced")
    }
}
