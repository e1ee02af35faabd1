import AWSClients
import AWSSignature
import BaseTestSupport
import EmulatorAWS
import XML

@Suite struct AssumeRoleTests {
    private func good(_ more: (String, String)..., role: String = roleARN) -> [(String, String)] {
        [("RoleArn", role), ("RoleSessionName", "s1")] + more
    }

    private static func violation(_ value: String, _ rule: String) -> String {
        "1 validation error detected: Value \(value) failed to satisfy constraint: "
            + "Member must \(rule)"
    }

    @Test(arguments: [
        (
            ("RoleSessionName", "a:b"),
            violation(
                #"'a:b' at 'roleSessionName'"#,
                #"satisfy regular expression pattern: [\w+=,.@-]*"#)
        ),
        (
            ("RoleSessionName", "a"),
            violation("'a' at 'roleSessionName'", "have length greater than or equal to 2")
        ),
        (
            ("DurationSeconds", "899"),
            violation("'899' at 'durationSeconds'", "have value greater than or equal to 900")
        ),
        (
            ("DurationSeconds", "43201"),
            violation("'43201' at 'durationSeconds'", "have value less than or equal to 43200")
        ),
        (
            ("RoleArn", "arn"),
            violation("'arn' at 'roleArn'", "have length greater than or equal to 20")
        ),
        (
            ("RoleArn", "arn:aws:iam::12:role/app-is-invalid"),
            "arn:aws:iam::12:role/app-is-invalid is invalid"
        ),
        (
            ("RoleArn", "arn:aws:iam::123456789012:user/app"),
            "arn:aws:iam::123456789012:user/app is invalid"
        ),
        (
            ("ExternalId", "a b"),
            violation(
                "'a b' at 'externalId'", #"satisfy regular expression pattern: [\w+=,.@:\/-]*"#)
        ),
        (
            ("PolicyArns.member.1.arn", "arn:aws:iam::aws:policy/None"),
            "PolicyArn arn:aws:iam::aws:policy/None is invalid or not attachable"
        ),
    ])
    func `an invalid parameter is refused with STS's message`(
        parameter: (String, String), message: String
    ) throws {
        let harness = try STSHarness()
        let others = good().filter { $0.0 != parameter.0 }
        try harness.call("AssumeRole", others + [parameter], as: harness.developer)
            .expect(400, "ValidationError", message)
    }

    @Test func `all validation errors are reported at once`() throws {
        let harness = try STSHarness()
        try harness.call("AssumeRole", as: harness.developer).expect(
            400, "ValidationError",
            "2 validation errors detected: Value null at 'roleArn' failed to satisfy constraint: "
                + "Member must not be null; Value null at 'roleSessionName' failed to satisfy "
                + "constraint: Member must not be null")
        try harness.call("AssumeRole", good(("DurationSeconds", "soon")), as: harness.developer)
            .expect(400, "MalformedInput")
        try harness.call(
            "AssumeRole", good(("Policy", String(repeating: " ", count: 2049))),
            as: harness.developer
        ).expect(400, "ValidationError")
    }

    @Test func `an unauthorised caller is named in the error`() throws {
        let harness = try STSHarness()
        func refusal(_ who: String, _ action: String, _ role: String) -> String {
            "User: arn:aws:iam::123456789012:user/\(who) is not authorized to perform: \(action) "
                + "on resource: arn:aws:iam::123456789012:role/\(role)"
        }
        func role(_ name: String) -> String { "arn:aws:iam::123456789012:role/\(name)" }
        try harness.call("AssumeRole", good(role: role("none")), as: harness.developer)
            .expect(403, "AccessDenied", refusal("developer", "sts:AssumeRole", "none"))
        try harness.call("AssumeRole", good(), as: harness.poor)
            .expect(403, "AccessDenied", refusal("poor", "sts:AssumeRole", "app"))
        try harness.call("AssumeRole", good(role: role("partner")), as: harness.developer)
            .expect(403, "AccessDenied", refusal("developer", "sts:AssumeRole", "partner"))
        let external = good(("ExternalId", "e1"), role: role("partner"))
        _ = try harness.call("AssumeRole", external, as: harness.developer).credentials()
        let tagged = good(
            ("Tags.member.1.Key", "uid"), ("Tags.member.1.Value", "u1"), role: role("untagged"))
        try harness.call("AssumeRole", tagged, as: harness.developer)
            .expect(403, "AccessDenied", refusal("developer", "sts:TagSession", "untagged"))
        try harness.call("AssumeRole", good(("SourceIdentity", "me")), as: harness.developer)
            .expect(403, "AccessDenied", refusal("developer", "sts:SetSourceIdentity", "app"))
    }

    @Test func `a chained session lasts an hour, keeps transitive tags and cannot change them`()
        throws
    {
        let harness = try STSHarness()
        let tags = [
            ("Tags.member.1.Key", "uid"), ("Tags.member.1.Value", "u1"),
            ("Tags.member.2.Key", "plan"), ("Tags.member.2.Value", "free"),
            ("TransitiveTagKeys.member.1", "uid"),
        ]
        let first = try harness.call(
            "AssumeRole", good(("DurationSeconds", "43200")) + tags, as: harness.developer)
        #expect(first.result?["PackedPolicySize"] != nil)
        let session = try first.credentials()
        expectEqual(session.expiresAt, start + .hours(12))
        try harness.call("AssumeRole", good(("DurationSeconds", "3601")), as: session).expect(
            400, "ValidationError",
            "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by "
                + "role chaining")
        let second = try harness.call("AssumeRole", good(), as: session).credentials()
        let identity = try harness.authority.identify(
            second.accessKeyID,
            token: second.sessionToken.map { String(decoding: $0.reveal(), as: UTF8.self) },
            at: start
        ).identity
        expectEqual(identity.tags, [SessionTag("uid", "u1")])
        try harness.call("AssumeRole", good() + tags, as: session)
            .expect(400, "InvalidParameterValue")
    }

    @Test func `invalid tags are refused`() throws {
        let harness = try STSHarness()
        for (tags, code) in [
            ([("Tags.member.1.Key", "a")], "ValidationError"),
            ([("Tags.member.1.Key", "a*"), ("Tags.member.1.Value", "b")], "ValidationError"),
            (
                [
                    ("Tags.member.1.Key", "a"), ("Tags.member.1.Value", "b"),
                    ("Tags.member.2.Key", "A"), ("Tags.member.2.Value", "b"),
                ], "InvalidParameterValue"
            ),
            (
                [("Tags.member.1.Key", "aws:a"), ("Tags.member.1.Value", "b")],
                "InvalidParameterValue"
            ),
            ([("TransitiveTagKeys.member.1", "a")], "InvalidParameterValue"),
        ] {
            try harness.call("AssumeRole", good() + tags, as: harness.developer).expect(400, code)
        }
    }

    @Test func `a role's maximum duration and the packed policy limit are enforced`() throws {
        let harness = try STSHarness()
        try harness.call(
            "AssumeRole",
            good(("DurationSeconds", "3601"), role: "arn:aws:iam::123456789012:role/untagged"),
            as: harness.developer
        ).expect(
            400, "ValidationError",
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
        try harness.call("AssumeRole", good(("Policy", "{")), as: harness.developer).expect(
            400, "MalformedPolicyDocument", "The policy is not in the valid JSON format.")
        var tags: [(String, String)] = []
        for index in 1...50 {
            tags.append(("Tags.member.\(index).Key", "key-\(index)"))
            tags.append(("Tags.member.\(index).Value", String(repeating: "x", count: 200)))
        }
        try harness.call("AssumeRole", good() + tags, as: harness.developer)
            .expect(400, "PackedPolicyTooLarge")
    }
}
