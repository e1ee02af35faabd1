private func chain(
    _ variables: [String: String], _ fake: FakeAWS, files: [String: String] = [:]
) throws -> CredentialChain {
    CredentialChain(
        try settings(), fake.ports(), variable: { variables[$0] },
        readFile: { files[$0].map { Array($0.utf8) } })
}

private func container(_ id: String, until end: String = "2025-01-02T04:04:05Z") -> HTTPResponse {
    answer(
        200,
        #"{"AccessKeyId":"\#(id)","SecretAccessKey":"s","Token":"t","Expiration":"\#(end)"}"#)
}

private let relative = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1"]
private let webIdentity = [
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/app",
    "AWS_ROLE_SESSION_NAME": "pod",
]

private func role(_ id: String, until end: String = "2025-01-02T04:04:05Z") -> HTTPResponse {
    answer(
        200,
        """
        <AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>\
        <AccessKeyId>\(id)</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
        <SessionToken>t</SessionToken><Expiration>\(end)</Expiration></Credentials>\
        </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
        """)
}

@Suite struct CredentialChainTests {
    @Test func `the environment has priority`() throws {
        let fake = FakeAWS()
        let keys = [
            "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "T",
        ]
        let all = keys.merging(relative) { $1 }.merging(webIdentity) { $1 }
        try expectEqual(
            chain(all, fake).credentials(),
            AWSCredentials(
                accessKeyID: "A", secretAccessKey: SecretBytes(utf8: "S"),
                sessionToken: SecretBytes(utf8: "T")))
        #expect(fake.requests.isEmpty)
    }

    @Test func `long-lived keys have no session token`() throws {
        let keys = [
            "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "",
        ]
        try expectEqual(chain(keys, FakeAWS()).credentials().sessionToken, nil)
    }

    @Test(arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
    func `an incomplete key pair is an error, and no other source is used`(name: String) throws {
        let chain = try chain([name: "x"].merging(relative) { $1 }, FakeAWS())
        #expect(throws: CredentialsFailure.invalid) { try chain.credentials() }
    }

    @Test func `no configuration is reported as missing`() throws {
        #expect(throws: CredentialsFailure.missing) { try chain([:], FakeAWS()).credentials() }
    }

    @Test func `a container uses the container endpoint`() throws {
        let fake = FakeAWS(container("C"))
        let variables = relative.merging(["AWS_CONTAINER_AUTHORIZATION_TOKEN": "secret"]) { $1 }
        let keys = try chain(variables, fake).credentials()
        expectEqual(keys.accessKeyID, "C")
        expectEqual(keys.expiresAt, FakeAWS.start + .hours(1))
        let request = try #require(fake.requests.first)
        expectEqual(request.method, .get)
        expectEqual(request.url, "http://169.254.170.2/v2/credentials/1")
        expectEqual(header("authorization", of: request), "secret")
    }

    @Test func `a token file has priority over a token, and is read each time`() throws {
        let fake = FakeAWS(container("C"))
        let variables = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token",
        ]
        _ = try chain(variables, fake, files: ["/token": "from-file\n"]).credentials()
        expectEqual(fake.requests.first.flatMap { header("authorization", of: $0) }, "from-file")
    }

    @Test(arguments: [
        "https://anywhere.example/c", "http://localhost/c", "http://localhost:80/c",
        "http://127.0.0.1:9/c", "http://127.1.2.3/c", "http://[::1]:9/c", "http://169.254.170.2/c",
        "http://169.254.170.23/c", "http://[fd00:ec2::23]/c",
    ])
    func `a full URI must be https or on this machine`(url: String) throws {
        let fake = FakeAWS(container("C"))
        _ = try chain(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], fake).credentials()
        expectEqual(fake.requests.first?.url, url)
    }

    @Test(arguments: [
        "http://elsewhere.example/c", "http://127.0.0.1.example.com/c", "http://localhost.example/",
        "http://169.254.170.2.example/", "http://169.254.169.254/c", "ftp://localhost/",
        "localhost",
        "http://evil.example/http://localhost/", "http://localhost@evil.example/",
    ])
    func `a full http URI on another machine is refused`(url: String) throws {
        let fake = FakeAWS(container("C"))
        let chain = try chain(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], fake)
        #expect(throws: CredentialsFailure.invalid) { try chain.credentials() }
        #expect(fake.requests.isEmpty)
    }

    @Test(arguments: ["v2/credentials", "@evil.example/"])
    func `a relative URI must start with a slash`(path: String) throws {
        let chain = try chain(["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": path], FakeAWS())
        #expect(throws: CredentialsFailure.invalid) { try chain.credentials() }
    }

    @Test(arguments: ["a\r\nX: b", "\u{E9}", " \n"])
    func `a token that is not a valid header value is refused`(token: String) throws {
        let variables = relative.merging(
            ["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token"]) { $1 }
        let chain = try chain(variables, FakeAWS(container("C")), files: ["/token": token])
        #expect(throws: CredentialsFailure.invalid) { try chain.credentials() }
    }

    @Test(arguments: [
        (answer(404, ""), CredentialsFailure.invalid), (answer(403, "{}"), .invalid),
        (answer(200, ""), .invalid), (answer(200, "{}"), .invalid),
        (container("C", until: "later"), .invalid), (container(""), .invalid),
    ])
    func `an endpoint that returns no credentials is reported as invalid`(
        response: HTTPResponse, failure: CredentialsFailure
    ) throws {
        let chain = try chain(relative, FakeAWS(response))
        #expect(throws: failure) { try chain.credentials() }
    }

    @Test func `a failing endpoint is retried, then reported as unavailable`() throws {
        let fake = FakeAWS(answer(500, ""), container("C"))
        try expectEqual(chain(relative, fake).credentials().accessKeyID, "C")
        #expect(throws: CredentialsFailure.unavailable) {
            try chain(relative, FakeAWS()).credentials()
        }
    }

    @Test func `credentials are cached until five minutes before they expire`() throws {
        let fake = FakeAWS(container("one"), container("two", until: "2025-01-02T05:00:00Z"))
        let chain = try chain(relative, fake)
        try expectEqual(chain.credentials().accessKeyID, "one")
        fake.advance(.milliseconds(55 * 60_000 - 1))
        try expectEqual(chain.credentials().accessKeyID, "one")
        expectEqual(fake.requests.count, 1)
        fake.advance(.milliseconds(1))
        try expectEqual(chain.credentials().accessKeyID, "two")
        expectEqual(fake.requests.count, 2)
    }

    @Test func `while renewal fails, valid credentials are still used`() throws {
        let fake = FakeAWS(container("one"))
        let chain = try chain(relative, fake)
        try expectEqual(chain.credentials().accessKeyID, "one")
        fake.advance(.minutes(56))
        try expectEqual(chain.credentials().accessKeyID, "one")
        fake.advance(.minutes(4))
        #expect(throws: CredentialsFailure.unavailable) { try chain.credentials() }
    }

    @Test func `a web identity file is exchanged, and read again for a renewal`() throws {
        let fake = FakeAWS(role("W"))
        let keys = try chain(webIdentity, fake, files: ["/token": "eyJ.a.b\n"]).credentials()
        expectEqual(keys.accessKeyID, "W")
        let request = try #require(fake.requests.first)
        expectEqual(request.url, "https://sts.eu-west-1.amazonaws.com/")
        expectEqual(header("authorization", of: request), nil)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body.contains("WebIdentityToken=eyJ.a.b"))
        #expect(body.contains("RoleSessionName=pod"))
    }

    @Test func `without a session name one is generated`() throws {
        let fake = FakeAWS(role("W"))
        let variables = webIdentity.filter { $0.key != "AWS_ROLE_SESSION_NAME" }
        _ = try chain(variables, fake, files: ["/token": "eyJ.a.b"]).credentials()
        let body = String(decoding: fake.requests.first?.body ?? [], as: UTF8.self)
        #expect(body.contains("RoleSessionName=latchkey-1735787045000"))
    }

    @Test func `a web identity without a role, or without its file, is an error`() throws {
        let half = try chain(["AWS_WEB_IDENTITY_TOKEN_FILE": "/token"], FakeAWS())
        #expect(throws: CredentialsFailure.invalid) { try half.credentials() }
        let unread = try chain(webIdentity, FakeAWS())
        #expect(throws: CredentialsFailure.invalid) { try unread.credentials() }
        let empty = try chain(webIdentity, FakeAWS(), files: ["/token": "\n"])
        #expect(throws: CredentialsFailure.invalid) { try empty.credentials() }
    }

    @Test(arguments: [
        (400, "ExpiredTokenException", CredentialsFailure.expired),
        (400, "InvalidIdentityToken", .invalid), (403, "AccessDenied", .invalid),
        (500, "InternalFailure", .unavailable), (400, "Throttling", .unavailable),
    ])
    func `a refused web identity is reported with its reason`(
        status: Int, code: String, failure: CredentialsFailure
    ) throws {
        let refusal = answer(
            status, "<ErrorResponse><Error><Code>\(code)</Code></Error></ErrorResponse>")
        let fake = FakeAWS(Array(repeating: .success(refusal), count: 4))
        let chain = try chain(webIdentity, fake, files: ["/token": "eyJ.a.b"])
        #expect(throws: failure) { try chain.credentials() }
    }

    @Test func `the provider returns the chain's credentials`() throws {
        let keys = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"]
        try expectEqual(chain(keys, FakeAWS()).provider.credentials().accessKeyID, "A")
    }
}
