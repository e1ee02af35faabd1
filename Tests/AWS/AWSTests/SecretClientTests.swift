@Suite struct SecretClientTests {
    private func secrets(_ fake: FakeAWS) throws -> SecretsManagerClient {
        SecretsManagerClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
    }

    private func parameters(_ fake: FakeAWS) throws -> SSMClient {
        SSMClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
    }

    @Test(arguments: [
        (#"{"SecretString":"pass","Name":"n"}"#, "pass"), (#"{"SecretBinary":"cGFzcw=="}"#, "pass"),
        (#"{"SecretString":""}"#, ""),
    ])
    func `a secret is text or binary`(body: String, value: String) throws {
        let fake = FakeAWS(answer(200, body))
        try expectEqual(secrets(fake).getSecretValue(id: "app/key"), SecretBytes(utf8: value))
        let request = try #require(fake.requests.first)
        expectEqual(request.url, "https://secretsmanager.eu-west-1.amazonaws.com/")
        expectEqual(header("x-amz-target", of: request), "secretsmanager.GetSecretValue")
        expectEqual(header("content-type", of: request), "application/x-amz-json-1.1")
        expectEqual(String(decoding: request.body, as: UTF8.self), #"{"SecretId":"app/key"}"#)
    }

    @Test(arguments: ["{}", #"{"SecretBinary":"???"}"#, #"{"SecretString":7}"#])
    func `a secret without a value is malformed`(body: String) throws {
        #expect(throws: AWSFailure.malformedResponse) {
            try secrets(FakeAWS(answer(200, body))).getSecretValue(id: "x")
        }
    }

    @Test func `a parameter is read, with or without decryption`() throws {
        for decrypted in [true, false] {
            let fake = FakeAWS(
                answer(200, #"{"Parameter":{"Name":"/a","Type":"SecureString","Value":"v"}}"#))
            try expectEqual(
                parameters(fake).getParameter(name: "/a", decrypted: decrypted),
                SecretBytes(utf8: "v"))
            let request = try #require(fake.requests.first)
            expectEqual(header("x-amz-target", of: request), "AmazonSSM.GetParameter")
            expectEqual(
                String(decoding: request.body, as: UTF8.self),
                #"{"Name":"/a","WithDecryption":\#(decrypted)}"#)
        }
    }

    @Test(arguments: ["{}", #"{"Parameter":{}}"#, #"{"Parameter":"v"}"#])
    func `a parameter without a value is malformed`(body: String) throws {
        #expect(throws: AWSFailure.malformedResponse) {
            try parameters(FakeAWS(answer(200, body))).getParameter(name: "x", decrypted: true)
        }
    }

    @Test func `a ciphertext is decrypted`() throws {
        let fake = FakeAWS(answer(200, #"{"KeyId":"k","Plaintext":"cGFzcw=="}"#))
        let client = KMSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
        try expectEqual(client.decrypt([1, 2, 3]), SecretBytes(utf8: "pass"))
        let request = try #require(fake.requests.first)
        expectEqual(request.url, "https://kms.eu-west-1.amazonaws.com/")
        expectEqual(header("x-amz-target", of: request), "TrentService.Decrypt")
        expectEqual(String(decoding: request.body, as: UTF8.self), #"{"CiphertextBlob":"AQID"}"#)
    }

    @Test(arguments: ["{}", #"{"Plaintext":"???"}"#, #"{"Plaintext":7}"#])
    func `an invalid plaintext is malformed`(body: String) throws {
        let fake = FakeAWS(answer(200, body))
        let client = KMSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
        #expect(throws: AWSFailure.malformedResponse) { try client.decrypt([1]) }
    }

    private static let transient = [
        (400, "ThrottlingException"), (429, ""),
        (500, "KMSInternalException"), (500, "DependencyTimeoutException"),
        (500, "KeyUnavailableException"), (503, ""),
    ]

    @Test(arguments: transient)
    func `a busy service is retried`(status: Int, code: String) throws {
        let fake = FakeAWS(
            answer(status, #"{"__type":"\#(code)"}"#), answer(200, #"{"Plaintext":"cGFzcw=="}"#))
        let client = KMSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
        try expectEqual(client.decrypt([1]), SecretBytes(utf8: "pass"))
        #expect(fake.requests.count == 2 && fake.sleeps.count == 1)
    }

    @Test func `after several attempts a busy service is an error`() throws {
        let fake = FakeAWS(
            (0..<9).map { _ in
                .success(answer(400, #"{"__type":"ThrottlingException"}"#))
            })
        let client = KMSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
        #expect(throws: AWSFailure.self) { try client.decrypt([1]) }
        expectEqual(fake.requests.count, RetryPolicy.standard.attemptsMax)
    }

    @Test(arguments: [
        "InvalidCiphertextException", "AccessDeniedException", "DisabledException",
        "KMSInvalidStateException", "NotFoundException", "IncorrectKeyException",
        "InvalidKeyUsageException",
    ])
    func `a refused decryption is not retried`(code: String) throws {
        let fake = FakeAWS(answer(400, #"{"__type":"\#(code)","message":"m"}"#))
        let client = KMSClient(try settings(), fake.ports(), credentials: .fixed(testKeys))
        #expect(throws: AWSFailure.self) { try client.decrypt([1]) }
        expectEqual(fake.requests.count, 1)
    }

    @Test func `a missing secret is reported with its code`() throws {
        let fake = FakeAWS(answer(400, #"{"__type":"ParameterNotFound","message":"m"}"#))
        let expected = AWSFailure.refused(
            AWSRefusal(
                status: 400, code: "ParameterNotFound", message: "m",
                body: ["__type": "ParameterNotFound", "message": "m"]))
        #expect(throws: expected) { try parameters(fake).getParameter(name: "x", decrypted: true) }
        expectEqual(fake.requests.count, 1)
    }
}
