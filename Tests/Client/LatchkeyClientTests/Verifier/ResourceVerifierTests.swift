import Cryptography
import JOSE
import JSON
import LatchkeyVerifier

@Suite("Access tokens of other programs, at a resource", .timeLimit(.minutes(2)))
struct ResourceVerifierTests {
    private static let resource = "https://tools.example.com/mcp"
    private static let metadataURL =
        "https://tools.example.com/.well-known/oauth-protected-resource/mcp"
    private let server: KeyServer

    init() throws { server = try KeyServer() }

    private func verifier(
        _ resource: String = resource,
        _ change: (inout ResourceVerifier.Options) -> Void = { _ in }
    ) throws -> ResourceVerifier {
        var options = ResourceVerifier.Options()
        change(&options)
        return try ResourceVerifier(
            issuer: KeyServer.issuer, resource: resource, transport: server, clock: server.clock,
            options: options)
    }

    /// A token of a program, with some claims replaced, or removed with null.
    private func token(_ changes: JSONObject = [:], type: String? = "at+jwt") throws -> String {
        var claims: JSONObject = [
            "aud": .string(Self.resource), "client_id": "cli", "scope": "tools:use notes:read",
            "jti": "1", "amr": .null, "role": .null,
        ]
        for change in changes.members { claims[change.name] = change.value }
        return try server.token(claims, type: type)
    }

    private func refusal(
        _ authorization: String?, _ scopes: [String] = []
    ) async throws -> ResourceRefusal? {
        do {
            _ = try await verifier().verify(authorization: authorization, scopes: scopes)
            return nil
        } catch let refusal as ResourceRefusal {
            return refusal
        }
    }

    @Test func `a valid token has its program, user and scopes`()
        async throws
    {
        let access = try await verifier().verify(
            authorization: "Bearer \(try token())", scopes: ["tools:use"])
        #expect(access.userID == "ada" && access.clientID == "cli")
        expectEqual(access.scopes, ["tools:use", "notes:read"])
        _ = try await verifier().verify(
            authorization: "bearer \(try token())", scopes: ["notes:read", "tools:use"])
        _ = try await verifier().verify(authorization: "Bearer \(try token(["scope": ""]))")
        expectEqual(
            Set(server.requests.map(\.url.absoluteString)),
            ["https://auth.example.com/.well-known/jwks.json"])
    }

    @Test func `a token of a program has no user`() async throws {
        let own = try await verifier().verify(
            authorization: "Bearer \(try token(["sub": "cli"]))", scopes: ["tools:use"])
        #expect(!own.hasUser && own.clientID == "cli")
        #expect(try await verifier().verify(authorization: "Bearer \(try token())").hasUser)
    }

    @Test func `a user's own token is refused at a resource, and a program's at the server`()
        async throws
    {
        let own = try server.token(["client_id": "latchkey", "scope": "tools:use"])
        let refused = try #require(try await refusal("Bearer \(own)"))
        #expect(refused.status == 401 && refused.invalidToken == .wrongAudience)
        for changes in [[:], ["client_id": "latchkey"]] as [JSONObject] {
            let foreign = try token(changes)
            await #expect(throws: AccessRefusal.invalidToken(.wrongAudience)) {
                _ = try await server.verifier().verify(token: foreign)
            }
        }
        _ = try await server.verifier().verify(token: own)
    }

    @Test func `the token must be for exactly this resource`() async throws {
        let table: [(JSONObject, InvalidToken)] = [
            (["aud": "https://tools.example.com/mcp/"], .wrongAudience),
            (["aud": "https://tools.example.com"], .wrongAudience),
            (["aud": "https://TOOLS.example.com/mcp"], .wrongAudience),
            (["aud": [.string(Self.resource)]], .wrongAudience),
            (["aud": [.string(Self.resource), "https://other.example.com/"]], .wrongAudience),
            (["aud": ["latchkey", .string(Self.resource)]], .wrongAudience),
            (["iss": "https://other.example.com"], .wrongIssuer),
            (["exp": server.seconds(0)], .expired), (["client_id": .null], .malformed),
            (["client_id": ""], .malformed), (["client_id": 7], .malformed),
            (["scope": .null], .malformed), (["scope": ["tools:use"]], .malformed),
            (["cnf": ["jkt": "0123"]], .boundToKey),
        ]
        for (changes, reason) in table {
            let refused = try await refusal("Bearer \(try token(changes))")
            expectEqual(refused?.invalidToken, reason, "\(changes)")
            expectEqual(refused?.status, 401)
        }
        for type in ["JWT", "logout+jwt", nil] {
            let refused = try await refusal("Bearer \(try token(type: type))")
            expectEqual(refused?.invalidToken, .wrongType)
        }
    }

    @Test func `a request without a token gets the challenge without an error`() async throws {
        for header in [nil, "", "Basic YTpi"] {
            let refused = try #require(try await refusal(header))
            #expect(refused.status == 401 && refused.invalidToken == nil)
            expectEqual(
                refused.headers,
                ["WWW-Authenticate": "Bearer resource_metadata=\"\(Self.metadataURL)\""])
        }
        let refused = try await refusal(nil, ["tools:use", "notes:read"])
        expectEqual(
            refused?.headers["WWW-Authenticate"],
            "Bearer scope=\"tools:use notes:read\", resource_metadata=\"\(Self.metadataURL)\"")
        #expect(server.requests.isEmpty)
    }

    @Test func `an invalid token gets the challenge with an error`() async throws {
        for header in ["Bearer a.b", "Bearer", "DPoP a.b.c", "Bearer \(try server.token())"] {
            let refused = try await refusal(header)
            expectEqual(refused?.status, 401)
            expectEqual(
                refused?.headers["WWW-Authenticate"],
                "Bearer error=\"invalid_token\", resource_metadata=\"\(Self.metadataURL)\"")
        }
    }

    @Test func `a token without a scope gets 403 with all required scopes`()
        async throws
    {
        let refused = try #require(
            try await refusal("Bearer \(try token())", ["tools:use", "tools:admin"]))
        #expect(refused.status == 403 && refused.invalidToken == nil)
        expectEqual(
            refused.headers,
            [
                "WWW-Authenticate": "Bearer error=\"insufficient_scope\", "
                    + "scope=\"tools:use tools:admin\", resource_metadata=\"\(Self.metadataURL)\""
            ])
        // Whole words only.
        for words in [["tools"], ["tools:use notes:read"], ["Tools:use"]] {
            expectEqual(try await refusal("Bearer \(try token())", words)?.status, 403)
        }
        let quoted = try await refusal("Bearer \(try token())", ["a\"b", "c\r\nd"])
        expectEqual(
            quoted?.headers["WWW-Authenticate"],
            "Bearer error=\"insufficient_scope\", resource_metadata=\"\(Self.metadataURL)\"")
    }

    @Test func `without keys the answer is 503`() async throws {
        server.answers(.text(500, ""))
        let refused = try #require(try await refusal("Bearer \(try token())"))
        #expect(refused.status == 503 && refused.headers["Retry-After"] != nil)
        #expect(refused.headers["WWW-Authenticate"] == nil)
    }

    @Test(
        arguments: [
            ("https://tools.example.com/mcp", "/mcp"), ("https://tools.example.com", ""),
            ("https://tools.example.com/", ""), ("https://tools.example.com/a/b/", "/a/b/"),
            ("https://tools.example.com/mcp?x=1", "/mcp?x=1"),
            ("https://tools.example.com/%6Dcp", "/%6Dcp"),
        ])
    func `the metadata's well-known name is inserted before the path`(
        resource: String, path: String
    ) throws {
        let metadata = try verifier(resource).metadata
        expectEqual(metadata.path, "/.well-known/oauth-protected-resource" + path)
        expectEqual(metadata.url, "https://tools.example.com" + metadata.path)
        let local = try verifier("http://127.0.0.1:8080/mcp").metadata
        expectEqual(local.url, "http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp")
    }

    @Test func `the metadata contains the resource, the provider and the scopes`() throws {
        let plain = try JSON.parse(Array(verifier().metadata.json), limits: .keySet)
        expectEqual(
            plain,
            [
                "resource": .string(Self.resource),
                "authorization_servers": [.string(KeyServer.issuer)],
                "bearer_methods_supported": ["header"],
            ])
        let named = try verifier {
            $0.name = "Tools"
            $0.scopes = ["tools:use", "notes:read"]
        }
        let document = try JSON.parse(Array(named.metadata.json), limits: .keySet)
        #expect(document["resource_name"] == "Tools")
        #expect(document["scopes_supported"] == ["tools:use", "notes:read"])
    }

    @Test(
        arguments: [
            "latchkey", "", "tools.example.com", "http://tools.example.com/", "https:///mcp",
            "https://tools.example.com/#a", "https://a:b@tools.example.com/",
            "https://tools.example.com/\"", "https://tools.example.com/ö", "urn:tools",
        ])
    func `a resource that is not an https URL is refused`(resource: String) {
        #expect(throws: InvalidConfiguration.self) { try verifier(resource) }
        #expect(throws: InvalidConfiguration.self) { try verifier { $0.scopes = ["two words"] } }
    }

    @Test func `the resource's own algorithm is required`() async throws {
        let key = try SigningKey.generate(.rs256, random: .system)
        server.answers(.keys([server.key, key]))
        let claims: JSONObject = ["aud": .string(Self.resource), "client_id": "c", "scope": "a"]
        let token = try server.token(claims, key: key)
        let access = try await verifier { $0.algorithm = .rs256 }.verify(
            authorization: "Bearer \(token)")
        expectEqual(access.clientID, "c")
        expectEqual(try await refusal("Bearer \(token)")?.invalidToken, .unknownKey)
    }
}
