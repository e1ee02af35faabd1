@Suite struct SignatureVectorTests {
    @Test func `the published suite is complete`() {
        expectEqual(SignatureCase.all.count, 38)
        #expect(Set(SignatureCase.all.map { $0.text("header_signature") }).count > 20)
    }

    @Test(arguments: SignatureCase.all)
    func `the signed request matches the published one`(vector: SignatureCase) throws {
        let signed = try vector.signer.sign(vector.request, at: vector.time)
        let expected = try SignatureCase.request(vector.text("header_signed_request"))
        expectEqual(signed.url, expected.url)
        expectEqual(signed.body, expected.body)
        expectEqual(normal(signed.headers), normal(expected.headers))
    }

    @Test(arguments: SignatureCase.all)
    func `canonical request and string to sign match the published ones`(vector: SignatureCase)
        throws
    {
        var signed = try SignableRequest(vector.signer.sign(vector.request, at: vector.time))
        let presented = try #require(try PresentedSignature.find(in: signed))
        signed.headers.removeAll { $0.name == "Authorization" }
        let canonical = CanonicalRequest(
            signed, signing: Set(presented.signedHeaders),
            payloadHash: try payloadHash(of: vector), path: vector.path)
        expectEqual(canonical.text, vector.text("header_canonical_request"))
        expectEqual(
            presented.scope.stringToSign(canonical, at: try vector.time.compactISO8601),
            vector.text("header_string_to_sign"))
        expectEqual(presented.signature, vector.text("header_signature"))
    }

    @Test(arguments: SignatureCase.all)
    func `a presigned URL matches the published one`(vector: SignatureCase) throws {
        let presigned = try vector.signer.presign(
            vector.request, expiresIn: vector.lifetime, at: vector.time)
        let expected = try SignatureCase.request(vector.text("query_signed_request"))
        expectEqual(presigned.headers, try vector.request.headers)
        expectEqual(presigned.body, expected.body)
        // One case adds the unsigned token before the signature; the order of query parameters is
        // not significant.
        expectEqual(
            presigned.url.split(separator: "&").sorted(),
            expected.url.split(separator: "&").sorted())
    }

    // Services do not accept an unsigned token.
    @Test(arguments: SignatureCase.all.filter { !$0.leavesTokenUnsigned })
    func `signatures of both kinds can be parsed and verified`(vector: SignatureCase) throws {
        let signed = [
            try vector.signer.sign(vector.request, at: vector.time),
            try vector.signer.presign(vector.request, expiresIn: vector.lifetime, at: vector.time),
        ]
        for request in signed {
            let request = try SignableRequest(request)
            let presented = try #require(try PresentedSignature.find(in: request))
            expectEqual(presented.accessKeyID, "AKIDEXAMPLE")
            expectEqual(presented.scope.service, "service")
            expectEqual(presented.signedAt, try vector.time)
            #expect(
                presented.isValid(
                    for: request, payloadHash: try payloadHash(of: vector), path: vector.path,
                    secret: vector.secret))
        }
    }

    private func payloadHash(of vector: SignatureCase) throws -> String {
        Hex.encode(SHA256.hash(try vector.request.body))
    }

    // The case of names is not significant, and one vector has a folded header.
    private func normal(_ headers: [HTTPHeader]) -> [HTTPHeader] {
        headers.map { HTTPHeader($0.name.lowercased(), $0.value) }
    }
}
