import Bytes
import Cryptography
import JOSE
import JSON
import LatchkeyVerifier

private typealias Base64URL = Bytes.Base64URL

@Suite("Access tokens at an application's server", .timeLimit(.minutes(2)))
struct AccessTokenVerifierTests {
    @Test func `a valid token identifies the user`() async throws {
        let server = try KeyServer()
        let access = try await server.verifier().verify(
            authorization: "Bearer \(try server.token())")
        #expect(access.userID == "ada" && access.sessionID == "session")
        #expect(access.strength == "aal1" && access.methods == ["pwd"])
        expectEqual(access.expiresAt.timeIntervalSince(access.issuedAt), 900)
        expectEqual(access.provenAt?.timeIntervalSince(access.issuedAt), -5)
        #expect(access.text("role") == "editor" && access.text("iat") == nil)
        #expect(String(decoding: access.json, as: UTF8.self).contains("editor"))
        #expect(!"\(access)".contains("editor"))
        expectEqual(
            server.requests.map(\.url.absoluteString),
            ["https://auth.example.com/.well-known/jwks.json"])
    }

    @Test(
        arguments: [
            (nil, .missingToken), ("", .missingToken), ("Basic YTpi", .missingToken),
            ("Bearer", .invalidToken(.malformed)), ("Bearer a b", .invalidToken(.malformed)),
            ("Bearer a.b", .invalidToken(.malformed)), ("Bearer ...", .invalidToken(.malformed)),
            ("DPoP a.b.c", .invalidToken(.boundToKey)),
        ] as [(String?, AccessRefusal)])
    func `a header without a token is refused without a request`(
        header: String?, refusal: AccessRefusal
    ) async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        await #expect(throws: refusal) { _ = try await verifier.verify(authorization: header) }
        #expect(server.requests.isEmpty)
    }

    @Test func `the scheme's case does not matter, and responses follow RFC 6750`()
        async throws
    {
        let server = try KeyServer()
        let verifier = try server.verifier()
        for scheme in ["bearer", "BEARER"] {
            _ = try await verifier.verify(authorization: "\(scheme) \(try server.token())")
        }
        expectEqual(AccessRefusal.missingToken.status, 401)
        expectEqual(AccessRefusal.missingToken.headers, ["WWW-Authenticate": "Bearer"])
        let invalid = AccessRefusal.invalidToken(.expired)
        expectEqual(invalid.status, 401)
        expectEqual(invalid.headers, ["WWW-Authenticate": #"Bearer error="invalid_token""#])
        let unavailable = AccessRefusal.keysUnavailable(retryAfterSeconds: 60)
        #expect(unavailable.status == 503 && unavailable.headers == ["Retry-After": "60"])
    }

    @Test func `wrong claims are refused`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        let table: [(JSONObject, InvalidToken)] = [
            (["iss": "https://other.example.com"], .wrongIssuer),
            (["iss": "https://auth.example.com/"], .wrongIssuer), (["iss": .null], .malformed),
            (["aud": "photolala"], .wrongAudience), (["aud": ["a", "b"]], .wrongAudience),
            (["aud": .null], .malformed), (["sub": .null], .malformed), (["sub": ""], .malformed),
            (["sub": 7], .malformed), (["exp": .null], .malformed), (["iat": .null], .malformed),
            (["exp": server.seconds(0)], .expired), (["exp": server.seconds(-1)], .expired),
            (["exp": "tomorrow"], .malformed), (["iat": server.seconds(61)], .notYetValid),
            (["nbf": server.seconds(61)], .notYetValid),
            (["cnf": ["jkt": "0123"]], .boundToKey), (["cnf": "0123"], .boundToKey),
        ]
        for (changes, reason) in table {
            let token = try server.token(changes)
            await #expect(throws: AccessRefusal.invalidToken(reason), "\(changes)") {
                _ = try await verifier.verify(token: token)
            }
        }
        for changes in [
            ["exp": server.seconds(1)], ["iat": server.seconds(60)], ["nbf": server.seconds(60)],
            ["aud": ["other", "latchkey"]],
        ] as [JSONObject] { _ = try await verifier.verify(token: try server.token(changes)) }
        expectEqual(server.requests.count, 1)
    }

    @Test(arguments: ["JWT", "dpop+jwt", "id+jwt", nil])
    func `a token of another kind is refused`(type: String?) async throws {
        let server = try KeyServer()
        let token = try server.token(type: type)
        await #expect(throws: AccessRefusal.invalidToken(.wrongType)) {
            _ = try await server.verifier().verify(token: token)
        }
    }

    @Test func `other contracts have other audiences, types and algorithms`() async throws {
        let server = try KeyServer()
        let key = try SigningKey.generate(.rs256, random: .system)
        server.answers(.keys([key]))
        let verifier = try server.verifier(audience: "livlogios-ios") {
            $0.algorithm = .rs256
            $0.tokenType = "JWT"
        }
        let token = try server.token(["aud": "livlogios-ios"], key: key, type: "JWT")
        try await expectEqual(verifier.verify(token: token).userID, "ada")
        // With the defaults, the same token is refused.
        await #expect(throws: AccessRefusal.self) {
            _ = try await server.verifier().verify(token: token)
        }
    }

    @Test(
        arguments: [
            ("http://auth.example.com", false), ("https://auth.example.com", true),
            ("http://127.0.0.1:8080", true), ("http://localhost:1", true), ("", false),
            ("auth.example.com", false), ("https://user:word@auth.example.com", false),
        ])
    func `keys come over HTTPS, or from this machine`(issuer: String, isRight: Bool) {
        let verifier = try? AccessTokenVerifier(issuer: issuer)
        expectEqual(verifier != nil, isRight)
    }

    private func expect(_ reason: InvalidToken, _ token: String, _ server: KeyServer) async {
        await #expect(throws: AccessRefusal.invalidToken(reason)) {
            _ = try await server.verifier().verify(token: token)
        }
    }
}
