import JSON
import Testing

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
        #expect(PolicyCheck.problems(in: form).isEmpty == isOwn)
    }
}
