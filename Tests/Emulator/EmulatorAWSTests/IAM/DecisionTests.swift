import AWSSignature
import BaseTestSupport
import EmulatorAWS

@Suite struct DecisionTests {
    @Test func `a Deny overrides every Allow, and the default is to deny`() throws {
        let document = try PolicyDocument(
            parsing: """
                {"Version":"2012-10-17","Statement":[
                {"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::b/*"},
                {"Effect":"Deny","NotAction":"s3:Get*","Resource":"arn:aws:s3:::b/locked/*"}]}
                """, as: .identity)
        expectEqual(decide(document, "s3:PutObject", "arn:aws:s3:::b/k"), .allowed)
        expectEqual(decide(document, "s3:GetObject", "arn:aws:s3:::b/locked/k"), .allowed)
        expectEqual(decide(document, "s3:PutObject", "arn:aws:s3:::b/locked/k"), .denied)
        expectEqual(decide(document, "s3:GetObject", "arn:aws:s3:::c/k"), .notAllowed)
    }

    @Test func `NotResource matches everything else`() throws {
        let document = try policy(
            #""Effect":"Allow","Action":"*","NotResource":["arn:aws:s3:::b/*","arn:aws:s3:::c"]"#)
        expectEqual(decide(document, "s3:GetObject", "arn:aws:s3:::b/k"), .notAllowed)
        expectEqual(decide(document, "s3:GetObject", "arn:aws:s3:::d/k"), .allowed)
    }

    @Test(arguments: [
        (#""*""#, true), (#"{"AWS":"*"}"#, true), (#"{"AWS":"123456789012"}"#, true),
        (#"{"AWS":"arn:aws:iam::123456789012:root"}"#, true), (#"{"AWS":"999999999999"}"#, false),
        (#"{"AWS":["999999999999","\#(roleARN)"]}"#, true),
        (#"{"AWS":"arn:aws:sts::123456789012:assumed-role/app/s"}"#, true),
        (#"{"AWS":"arn:aws:sts::123456789012:assumed-role/app/t"}"#, false),
        (#"{"Federated":"accounts.google.com"}"#, false),
        (#"{"Service":"lambda.amazonaws.com"}"#, false),
    ])
    func `a principal matches by account, role or session`(
        principal: String, expected: Bool
    ) throws {
        let names = PrincipalNames(
            account: account,
            arns: ["arn:aws:sts::123456789012:assumed-role/app/s", roleARN])
        for (member, wanted) in [("Principal", expected), ("NotPrincipal", !expected)] {
            let document = try policy(
                #""Effect":"Allow","\#(member)":\#(principal),"Action":"s3:*","Resource":"*""#,
                as: .resource)
            expectEqual(decide(document, by: names) == .allowed, wanted)
        }
    }

    private func identity(
        role: String, session: String?, revoked: Bool = false, isTagged: Bool = true
    ) throws -> CallerIdentity {
        let now = Instant(seconds: 1_700_000_000)
        let trust = try policy(
            #""Effect":"Allow","Principal":"*","Action":"sts:*""#, as: .trust)
        let directory = IAMDirectory(
            account: account, accessKeys: [],
            roles: [IAMRole(arn: roleARN, trust: trust, policies: [try policy(role)])])
        let authority = try CredentialAuthority(
            directory: directory, root: SecretBytes([UInt8](repeating: 7, count: 32)),
            random: .seeded(1))
        var of = RoleSession(roleARN: roleARN, name: "s")
        if isTagged { of.tags = [SessionTag("uid", "u1")] }
        of.policies = session.map { [#"{"Version":"2012-10-17","Statement":[{\#($0)}]}"#] } ?? []
        let issued = try authority.issue(
            IAMSession(issuedAt: now, expiresAt: now + .hours(1), role: of))
        if revoked { _ = authority.revocations.revoke(roleARN, issuedUpTo: now) }
        let token = String(decoding: try #require(issued.sessionToken).reveal(), as: UTF8.self)
        return try authority.identify(issued.accessKeyID, token: token, at: now).identity
    }

    private func may(
        _ identity: CallerIdentity, _ resource: String, by resourcePolicy: PolicyDocument? = nil
    ) -> AccessDecision {
        var context = PolicyContext()
        identity.describe(in: &context)
        return identity.decision(
            on: "s3:GetObject", "arn:aws:s3:::\(resource)", in: context,
            resourcePolicy: resourcePolicy)
    }

    private static let all = #""Effect":"Allow","Action":"s3:*","Resource":"*""#
    private static let own =
        #""Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::b/${aws:PrincipalTag/uid}/*""#

    @Test func `a session has the intersection of its role's policy and its own`() throws {
        let confined = try identity(role: Self.all, session: Self.own)
        expectEqual(may(confined, "b/u1/k"), .allowed)
        expectEqual(may(confined, "b/u2/k"), .notAllowed)
        let wide = try identity(role: Self.own, session: Self.all)
        expectEqual(may(wide, "b/u1/k"), .allowed)
        expectEqual(may(wide, "b/u2/k"), .notAllowed)
        let untagged = try identity(role: Self.own, session: nil, isTagged: false)
        expectEqual(may(untagged, "b//k"), .notAllowed)
        let forbidden = try identity(
            role: Self.all, session: #""Effect":"Deny","Action":"*","Resource":"*""#)
        expectEqual(may(forbidden, "b/u1/k"), .denied)
    }

    @Test func `a bucket policy adds permissions to the identity's policies, not to the session's`()
        throws
    {
        let bucket = try policy(
            #""Effect":"Allow","Principal":{"AWS":"\#(roleARN)"},"Action":"s3:*","Resource":"*""#,
            as: .resource)
        expectEqual(may(try identity(role: Self.own, session: nil), "b/u2/k", by: bucket), .allowed)
        let confined = try identity(role: Self.own, session: Self.own)
        expectEqual(may(confined, "b/u2/k", by: bucket), .notAllowed)
        let closed = try policy(
            #""Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"*""#, as: .resource)
        expectEqual(may(try identity(role: Self.all, session: nil), "b/u1/k", by: closed), .denied)
    }

    @Test func `a revoked session has no permissions`() throws {
        expectEqual(may(try identity(role: Self.all, session: nil, revoked: true), "b/k"), .denied)
    }

    @Test func `a role that trusts the account delegates to the account's policies`() throws {
        let names = { (user: IAMUser) in PrincipalNames(account: account, arns: [user.arn]) }
        let poor = IAMUser.named("poor", account: account, policies: [try policy(Self.all)])
        let authority = try CredentialAuthority(
            directory: IAMDirectory(
                account: account,
                accessKeys: [
                    AccessKey(id: "AKIAPOOR", secret: SecretBytes(utf8: "s"), owner: poor)
                ]), root: SecretBytes([UInt8](repeating: 7, count: 32)), random: .seeded(1))
        let caller = try authority.identify("AKIAPOOR", token: nil, at: Instant(seconds: 0))
            .identity
        for (principal, expected) in [(account, false), (poor.arn, true)] {
            let role = IAMRole(
                arn: roleARN,
                trust: try policy(
                    #""Effect":"Allow","Principal":{"AWS":"\#(principal)"},"Action":"sts:AssumeRole""#,
                    as: .trust), policies: [])
            expectEqual(
                role.admits(
                    caller, as: names(poor), by: "sts:AssumeRole", in: PolicyContext()), expected)
        }
    }
}
