import BaseTestSupport

/// Tests of the check itself, which must detect violations.
@Suite("PolicyCheck") struct PolicyCheckTests {
    @Test(arguments: [
        #"{"RoleSessionName":"*"}"#,
        #"{"RoleSessionName":"3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d"}"#,
    ])
    func `a missing policy is detected`(_ form: String) throws {
        #expect(
            try !PolicyCheck.problems(
                in: #require(try JSON.parse(form, limits: .request).objectValue)
            ).isEmpty)
    }

    @Test(arguments: [
        ("arn:aws:s3:::photos/users/ME/*", true), ("arn:aws:s3:::photos/users/ME/a/*", true),
        ("arn:aws:s3:::photos/users/ME*", false), ("arn:aws:s3:::photos/*", false),
        ("arn:aws:s3:::photos/users/ME0/*", false), ("arn:aws:s3:::photos/users/ME/../*", false),
        ("arn:aws:s3:::photos/users/ME/*/*", false), ("*", false),
        ("arn:aws:s3:::other/users/ME/*", false),
    ])
    func `a policy with too much access is detected`(_ resource: String, _ isOwn: Bool) throws {
        let me = "3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d"
        let policy: JSON = [
            "Statement": [
                [
                    "Action": ["s3:GetObject"],
                    "Resource": .string(resource.replacing("ME", with: me)),
                ]
            ]
        ]
        let form: JSONObject = [
            "RoleSessionName": .string(me), "Policy": policy,
        ]
        expectEqual(PolicyCheck.problems(in: form).isEmpty, isOwn)
    }

    /// The role of a merge may read the objects of the tagged user, and nothing else.
    @Test(arguments: [
        ("s3:GetObject", "users/SOURCE/*", true), ("s3:PutObject", "users/SOURCE/*", false),
        ("s3:GetObject", "users/OTHER/*", false), ("s3:GetObject", "users/SOURCE*", false),
        ("s3:ListBucket", "users/SOURCE/*", true), ("s3:ListBucket", "users/OTHER/*", false),
    ])
    func `another user's objects may only be read`(
        _ action: String, _ reach: String, _ isAllowed: Bool
    ) throws {
        let me = "3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d"
        let source = "7b2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d"
        let reach = reach.replacing("SOURCE", with: source).replacing("OTHER", with: "x")
        var statement: JSON = [
            "Action": .string(action), "Resource": .string("arn:aws:s3:::photos/\(reach)"),
        ]
        if action == "s3:ListBucket" {
            statement = [
                "Action": .string(action), "Resource": "arn:aws:s3:::photos",
                "Condition": [
                    "StringLike": ["s3:prefix": [.string("users/\(me)/*"), .string(reach)]]
                ],
            ]
        }
        var form: JSONObject = [
            "RoleSessionName": .string(me), "Policy": ["Statement": [statement]],
            "Tags.member.2.Key": "source", "Tags.member.2.Value": .string(source),
        ]
        expectEqual(PolicyCheck.problems(in: form).isEmpty, isAllowed)
        form["Tags.member.2.Key"] = "other"
        #expect(!PolicyCheck.problems(in: form).isEmpty)
    }
}
