import AWSClients
import AWSSignature
import BaseTestSupport
import EmulatorAWS
import XML

@Suite struct AssumeRoleTests {
    private func good(_ more: (String, String)..., role: String = roleARN) -> [(String, String)] {
        [("RoleArn", role), ("RoleSessionName", "s1")] + more
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
}
