private let role = RoleRequest(
    roleARN: "arn:aws:iam::123456789012:role/app", sessionName: "u1", durationSeconds: 900,
    policy: #"{"Version":"2012-10-17"}"#)

private let keys = """
    <Credentials><AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>s/e+c</SecretAccessKey>\
    <SessionToken>t&#47;o&amp;k==</SessionToken><Expiration>2025-01-02T04:04:05Z</Expiration>\
    </Credentials>
    """

private func success(_ action: String, _ inside: String = keys) -> HTTPResponse {
    answer(
        200,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <\(action)Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><\(action)Result>
         <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/app/u1</Arn>
          <AssumedRoleId>AROACLKWSDQRAOEXAMPLE:u1</AssumedRoleId></AssumedRoleUser>
         \(inside)
         <PackedPolicySize>6</PackedPolicySize></\(action)Result>
         <ResponseMetadata><RequestId>ad4156e9</RequestId></ResponseMetadata>
        </\(action)Response>

        """)
}

private func error(_ status: Int, _ code: String) -> HTTPResponse {
    answer(
        status,
        """
        <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error>\
        <Type>Sender</Type><Code>\(code)</Code><Message>It's &lt;said&gt;</Message></Error>\
        <RequestId>r</RequestId></ErrorResponse>
        """)
}

private func client(_ fake: FakeAWS) throws -> STSClient {
    STSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
}

private func form(of request: HTTPRequest) -> [String] {
    let pairs = PercentEncoding.parseForm(
        String(decoding: request.body, as: UTF8.self), pairsMax: 100)
    return (pairs ?? []).map { "\($0.0)=\($0.1)" }
}

@Suite struct STSClientTests {
    @Test func `a role is assumed with a signed form`() throws {
        let fake = FakeAWS(success("AssumeRole"))
        let made = try client(fake).assumeRole(
            role, tags: [("uid", "1 &="), ("app", "é")], transitiveTagKeys: ["uid"],
            externalID: "ext", sourceIdentity: "src")
        expectEqual(made.accessKeyID, "ASIAEXAMPLE")
        expectEqual(made.secretAccessKey, SecretBytes(utf8: "s/e+c"))
        expectEqual(made.sessionToken, SecretBytes(utf8: "t/o&k=="))
        expectEqual(made.expiresAt, FakeAWS.start + .hours(1))
        expectEqual(made.packedPolicyPercent, 6)
        expectEqual(made.credentials.expiresAt, made.expiresAt)
        let request = try #require(fake.requests.first)
        expectEqual(request.method, .post)
        expectEqual(request.url, "https://sts.eu-west-1.amazonaws.com/")
        expectEqual(
            header("content-type", of: request), "application/x-www-form-urlencoded; charset=utf-8")
        expectEqual(
            header("authorization", of: request)?.contains("/eu-west-1/sts/aws4_request,"), true)
        expectEqual(
            form(of: request),
            [
                "Action=AssumeRole", "Version=2011-06-15",
                "RoleArn=arn:aws:iam::123456789012:role/app", "RoleSessionName=u1",
                "DurationSeconds=900", #"Policy={"Version":"2012-10-17"}"#,
                "Tags.member.1.Key=uid", "Tags.member.1.Value=1 &=", "Tags.member.2.Key=app",
                "Tags.member.2.Value=é", "TransitiveTagKeys.member.1=uid", "ExternalId=ext",
                "SourceIdentity=src",
            ])
    }

    @Test func `optional parameters are omitted`() throws {
        let fake = FakeAWS(success("AssumeRole"))
        let plain = RoleRequest(roleARN: role.roleARN, sessionName: "u1")
        _ = try client(fake).assumeRole(plain)
        let request = try #require(fake.requests.first)
        expectEqual(
            form(of: request).map { $0.prefix { $0 != "=" } },
            [
                "Action", "Version", "RoleArn", "RoleSessionName",
            ])
    }

    @Test func `AssumeRoleWithWebIdentity is not signed`() throws {
        let fake = FakeAWS(success("AssumeRoleWithWebIdentity"))
        let client = STSClient(
            try settings(), fake.ports(),
            credentials: CredentialsProvider { () throws(CredentialsFailure) in throw .missing })
        _ = try client.assumeRoleWithWebIdentity(role, token: SecretBytes(utf8: "eyJ.a.b"))
        let request = try #require(fake.requests.first)
        expectEqual(header("authorization", of: request), nil)
        expectEqual(header("x-amz-security-token", of: request), nil)
        #expect(form(of: request).contains("Action=AssumeRoleWithWebIdentity"))
        #expect(form(of: request).contains("WebIdentityToken=eyJ.a.b"))
    }

    @Test(arguments: [
        (403, "AccessDenied", STSFailure.accessDenied),
        (400, "ExpiredTokenException", .expiredToken),
        (400, "InvalidIdentityToken", .invalidIdentityToken),
        (400, "MalformedPolicyDocument", .malformedPolicy),
        (400, "PackedPolicyTooLarge", .packedPolicyTooLarge),
        (403, "RegionDisabledException", .regionDisabled),
        (400, "ValidationError", .validation), (400, "MissingParameter", .validation),
        (400, "InvalidAction", .validation), (400, "Unheard", .validation),
        (403, "Unheard", .accessDenied), (400, "", .validation),
        (403, "IDPRejectedClaim", .identityProviderRejected),
        (403, "MissingAuthenticationToken", .credentials(.invalid)),
        (403, "InvalidClientTokenId", .credentials(.invalid)),
        (403, "SignatureDoesNotMatch", .credentials(.invalid)),
        (403, "ExpiredToken", .credentials(.expired)),
    ])
    func `errors are mapped to failures`(status: Int, code: String, failure: STSFailure) throws {
        let fake = FakeAWS(error(status, code))
        #expect(throws: failure) { try client(fake).assumeRole(role) }
        expectEqual(fake.requests.count, 1)
    }

    @Test(arguments: [
        (400, "Throttling", STSFailure.throttled), (400, "ThrottlingException", .throttled),
        (429, "", .throttled), (503, "ServiceUnavailable", .unavailable),
        (500, "InternalFailure", .unavailable),
        (400, "IDPCommunicationError", .identityProviderUnreachable),
    ])
    func `transient errors are retried`(status: Int, code: String, failure: STSFailure) throws {
        let fake = FakeAWS(Array(repeating: .success(error(status, code)), count: 4))
        #expect(throws: failure) { try client(fake).assumeRole(role) }
        expectEqual(fake.requests.count, 4)
        let passing = FakeAWS(error(status, code), success("AssumeRole"))
        try expectEqual(client(passing).assumeRole(role).accessKeyID, "ASIAEXAMPLE")
    }

    @Test func `an unreachable service is unavailable`() throws {
        #expect(throws: STSFailure.unavailable) { try client(FakeAWS()).assumeRole(role) }
    }

    @Test func `missing credentials are distinguished from refused ones`() throws {
        let client = STSClient(
            try settings(), FakeAWS().ports(),
            credentials: CredentialsProvider { () throws(CredentialsFailure) in throw .missing })
        #expect(throws: STSFailure.credentials(.missing)) { try client.assumeRole(role) }
    }

    @Test(arguments: [
        "", "{}", "<html>proxy</html>", "<AssumeRoleResponse/>",
        "<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>",
    ])
    func `a response without credentials is malformed`(body: String) throws {
        let odd = answer(200, body)
        let fake = FakeAWS(odd, odd, odd, odd)
        #expect(throws: STSFailure.unavailable) { try client(fake).assumeRole(role) }
    }

    @Test(arguments: [
        ("<AccessKeyId>ASIAEXAMPLE</AccessKeyId>", ""),
        ("<AccessKeyId>ASIAEXAMPLE</AccessKeyId>", "<AccessKeyId/>"),
        ("<SecretAccessKey>s/e+c</SecretAccessKey>", ""), ("2025-01-02T04:04:05Z", "soon"),
        ("<Credentials>", "<Credentials/><Credentials>"),
        ("<AccessKeyId>", "<AccessKeyId>OTHER</AccessKeyId><AccessKeyId>"),
    ])
    func `an incomplete response is malformed`(old: String, new: String) throws {
        let odd = success("AssumeRole", keys.replacing(old, with: new))
        let fake = FakeAWS(odd, odd, odd, odd)
        #expect(throws: STSFailure.unavailable) { try client(fake).assumeRole(role) }
    }

    @Test func `a response to another operation is malformed`() throws {
        let odd = success("AssumeRoleWithSAML")
        let fake = FakeAWS(odd, odd, odd, odd)
        #expect(throws: STSFailure.unavailable) { try client(fake).assumeRole(role) }
    }
}
