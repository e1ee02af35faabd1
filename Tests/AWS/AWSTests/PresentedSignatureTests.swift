private let time = Instant(seconds: 1_735_787_045)
private let secret = SecretBytes(utf8: "secret")
private let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

private func signedRequest() throws -> SignableRequest {
    let signer = Signer(
        AWSCredentials(
            accessKeyID: "AKID", secretAccessKey: secret,
            sessionToken: SecretBytes(utf8: "to+ken/==")), region: "eu-west-1", service: "dynamodb")
    return try SignableRequest(
        signer.sign(
            HTTPRequest(
                .get, "https://h.example/a?b=c", headers: [HTTPHeader("X-Amz-Target", "T")]),
            at: time))
}

private func presignedRequest() throws -> SignableRequest {
    let signer = Signer(
        AWSCredentials(
            accessKeyID: "AKID", secretAccessKey: secret,
            sessionToken: SecretBytes(utf8: "to+ken/==")), region: "eu-west-1", service: "s3")
    return try SignableRequest(
        signer.presign(
            HTTPRequest(.get, "https://h.example/a?b=c"), expiresIn: .seconds(60), at: time))
}

private func isValid(_ request: SignableRequest, payloadHash: String = hash) throws -> Bool {
    guard let presented = try PresentedSignature.find(in: request) else { return false }
    return presented.isValid(
        for: request, payloadHash: payloadHash, path: .of(service: presented.scope.service),
        secret: secret)
}

private func replacing(
    _ name: String, of request: SignableRequest, _ edit: (String) -> String
) -> SignableRequest {
    var changed = request
    changed.headers = request.headers.map {
        $0.name.lowercased() == name ? HTTPHeader($0.name, edit($0.value)) : $0
    }
    return changed
}

@Suite struct PresentedSignatureTests {
    @Test func `a header signature is parsed`() throws {
        let presented = try #require(try PresentedSignature.find(in: signedRequest()))
        expectEqual(presented.accessKeyID, "AKID")
        expectEqual(presented.scope.text, "20250102/eu-west-1/dynamodb/aws4_request")
        expectEqual(presented.signedAt, time)
        expectEqual(presented.sessionToken, "to+ken/==")
        expectEqual(presented.expiresIn, nil)
        #expect(try isValid(signedRequest()))
    }

    @Test func `a presigned URL is parsed`() throws {
        let presented = try #require(try PresentedSignature.find(in: presignedRequest()))
        expectEqual(presented.expiresIn, .seconds(60))
        expectEqual(presented.sessionToken, "to+ken/==")
        #expect(try isValid(presignedRequest(), payloadHash: "UNSIGNED-PAYLOAD"))
    }

    @Test func `an unsigned request has no signature`() throws {
        let request = SignableRequest(method: "GET", path: "/", query: "a=b", headers: [])
        try expectEqual(PresentedSignature.find(in: request), nil)
    }

    @Test func `any change invalidates a header signature`() throws {
        let request = try signedRequest()
        var changed: [SignableRequest] = []
        for edit: (inout SignableRequest) -> Void in [
            { $0.method = "POST" }, { $0.path = "/b" }, { $0.query = "b=d" }, { $0.query = "" },
            { $0.headers.removeAll { $0.name == "X-Amz-Target" } },
            { $0.headers.removeAll { $0.name == "Host" } },
            { $0.headers.append(HTTPHeader("X-Amz-Target", "U")) },
            { $0.headers.append(HTTPHeader("x-amz-unsigned", "1")) },
        ] {
            var copy = request
            edit(&copy)
            changed.append(copy)
        }
        for name in ["host", "x-amz-target", "x-amz-security-token"] {
            changed.append(replacing(name, of: request) { $0 + "x" })
        }
        changed.append(replacing("x-amz-date", of: request) { _ in "20250102T030406Z" })
        changed.append(
            replacing("authorization", of: request) { $0.replacing("eu-west-1", with: "us-west-1") }
        )
        changed.append(
            replacing("authorization", of: request) { $0.replacing(";x-amz-target", with: "") })
        changed.append(replacing("authorization", of: request) { $0.replacing("host;", with: "") })
        changed.append(
            replacing("authorization", of: request) {
                String($0.dropLast()) + ($0.hasSuffix("0") ? "1" : "0")
            })
        for request in changed { #expect(try !isValid(request)) }
        #expect(try !isValid(request, payloadHash: "UNSIGNED-PAYLOAD"))
    }

    @Test(arguments: [
        ("b=c", "b=d"), ("X-Amz-Expires=60", "X-Amz-Expires=61"),
        ("X-Amz-Date=2025", "X-Amz-Date=2026"),
        ("to%2Bken", "to%2Bkem"), ("&X-Amz-Signature=", "&a=&X-Amz-Signature="),
    ])
    func `any change invalidates a presigned URL`(old: String, new: String) throws {
        var request = try presignedRequest()
        #expect(request.query.contains(old))
        request.query = request.query.replacing(old, with: new)
        expectEqual((try? isValid(request, payloadHash: "UNSIGNED-PAYLOAD")) ?? false, false)
    }

    /// The text after `AWS4-HMAC-SHA256 Credential=`, each invalid in one place.
    private static let malformed: [String] = [
        "", "A/20250102/r/s/aws4_request",
        "A/20250102/r/s/aws4_request, SignedHeaders=host, Signature=ab",
        "A/20250103/r/s/aws4_request, SignedHeaders=host, Signature=\(hash)",
        "A/20250102/r/s/aws5_request, SignedHeaders=host, Signature=\(hash)",
        "A/2/20250102/r/s/aws4_request, SignedHeaders=host, Signature=\(hash)",
        "/20250102/r/s/aws4_request, SignedHeaders=host, Signature=\(hash)",
        "A/20250102//s/aws4_request, SignedHeaders=host, Signature=\(hash)",
        "A/20250102/r/s/aws4_request, SignedHeaders=, Signature=\(hash)",
        "A/20250102/r/s/aws4_request, Credential=B, SignedHeaders=host, Signature=\(hash)",
        "A/20250102/r/s/aws4_request, SignedHeaders=host, Signature",
        String(repeating: "A", count: 17_000),
    ]

    @Test(arguments: malformed)
    func `a malformed signature is refused`(rest: String) {
        #expect(throws: SignatureFailure.malformed) {
            try find("AWS4-HMAC-SHA256 Credential=" + rest)
        }
    }

    @Test(arguments: ["Bearer abc", "", "AWS4-HMAC-SHA1 Credential=a", "AWS4-ECDSA-P256-SHA256 a"])
    func `another algorithm is refused`(value: String) {
        #expect(throws: SignatureFailure.unknownAlgorithm) { try find(value) }
    }

    private func find(_ authorization: String) throws(SignatureFailure) -> PresentedSignature? {
        try PresentedSignature.find(
            in: SignableRequest(
                method: "GET", path: "/", query: "",
                headers: [
                    HTTPHeader("Host", "h"), HTTPHeader("X-Amz-Date", "20250102T030405Z"),
                    HTTPHeader("Authorization", authorization),
                ]))
    }

    @Test(arguments: [
        ("X-Amz-Expires=60", "X-Amz-Expires=-1", SignatureFailure.expiryOutOfRange),
        ("X-Amz-Expires=60", "X-Amz-Expires=604801", .expiryOutOfRange),
        ("X-Amz-Expires=60", "X-Amz-Expires=+60", .malformed),
        ("X-Amz-Expires=60", "X-Amz-Expires=60&X-Amz-Expires=61", .malformed),
        ("X-Amz-Expires=60", "a=b", .malformed),
        ("X-Amz-Date=20250102T030405Z", "X-Amz-Date=2025-01-02", .malformed),
        ("X-Amz-Date=20250102T030405Z", "X-Amz-Date=20250231T030405Z", .malformed),
        ("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=none", .unknownAlgorithm),
    ])
    func `a presigned URL with invalid parameters is refused`(
        old: String, new: String, failure: SignatureFailure
    ) throws {
        var request = try presignedRequest()
        #expect(request.query.contains(old))
        request.query = request.query.replacing(old, with: new)
        #expect(throws: failure) { try PresentedSignature.find(in: request) }
    }
}
