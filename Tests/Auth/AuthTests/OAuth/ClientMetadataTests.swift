import Testing

@Suite("Descriptions of clients") struct ClientMetadataTests {
    private static let secret = "0123456789abcdef"

    @Test(arguments: [
        (#"{}"#, "client_id"), (#"{"client_id": ""}"#, "client_id"),
        (#"{"client_id": "https://a.example/x"}"#, "client_id"),
        (#"{"client_id": "3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#, "client_id"),
        (#"{"client_id": "a", "redirect_uri": []}"#, "redirect_uri"),
        (#"{"client_id": "a"}"#, "redirect_uris"),
        (#"{"client_id": "a", "redirect_uris": "https://a.example/cb"}"#, "redirect_uris"),
        (#"{"client_id": "a", "redirect_uris": ["javascript:x"]}"#, "redirect_uris"),
        (#"{"client_id": "a", "grant_types": ["implicit"]}"#, "grant_types"),
        (#"{"client_id": "a", "response_types": ["token"]}"#, "response_types"),
        (#"{"client_id": "a", "grant_types": [], "client_secret": "short"}"#, "client_secret"),
        (method("client_secret_basic"), "token_endpoint_auth_method"),
        (method("private_key_jwt"), "jwks"),
        (
            #"{"client_id": "a", "grant_types": [], "id_token_signed_response_alg": "none"}"#,
            "id_token_signed_response_alg"
        ),
        (#"{"client_id": "a", "grant_types": [], "client_name": "a\u202eb"}"#, "client_name"),
    ])
    func `a problem names the member that is wrong`(_ text: String, member: String) throws {
        let object = try #require(try JSON.parse(Array(text.utf8), limits: .request).objectValue)
        let problem = #expect(throws: ClientMetadata.Problem.self) {
            try ClientMetadata(object).configured(signingIDTokensWith: [.rs256, .es256])
        }
        #expect(problem?.member == member)
    }

    @Test
    func `a client with a secret is confidential, any other is public`() throws {
        let base: JSONObject = ["client_id": "a", "redirect_uris": ["https://a.example/cb"]]
        var confidential = base
        confidential["client_secret"] = .string(Self.secret)
        #expect(try client(base).authentication == .none)
        #expect(try client(confidential).authentication == .basic)
        #expect(try client(base).idTokenAlgorithm == .rs256)
        #expect(try client(base).grantTypes == [.authorizationCode])
    }

    private func client(_ object: JSONObject) throws -> Client {
        try ClientMetadata(object).configured(signingIDTokensWith: [.rs256, .es256])
    }
}

private func method(_ name: String) -> String {
    #"{"client_id": "a", "grant_types": [], "token_endpoint_auth_method": "\#(name)"}"#
}
