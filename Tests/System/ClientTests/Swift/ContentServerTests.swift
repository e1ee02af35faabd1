import Bytes
import Cryptography
import Foundation
import JOSE
import JSON
import LatchkeyClient
import LatchkeyContracts
import LatchkeyCurl
import TestSupport

private typealias Base64URL = Bytes.Base64URL

/// An application's own server, `Examples/Server`, which verifies the tokens of an emulated one.
@Suite("Example of a server with verified access tokens", .serialized, .hangLimit)
struct ContentServerTests {
    /// The process.
    private struct ContentServer {
        private let process: ChildProcess
        private let url: URL
        private let transport = LibcurlTransport()

        init(trusting issuer: String) throws {
            var command = Command(BuiltExecutables.path(of: "content-server"), [issuer, "0"])
            command.environment = [("PATH", "/usr/bin:/bin"), ("TZ", "UTC")]
            let process = try ChildProcess(command)
            var port: Substring?
            _ = process.waits {
                let lines = process.textSoFar.output.split(
                    separator: "\n", omittingEmptySubsequences: false)
                port = lines.count > 1 ? lines[0] : nil
                return port != nil
            }
            self.process = process
            let number = try #require(port, "\(process.textSoFar)")
            url = try #require(URL(string: "http://127.0.0.1:\(number)/"))
        }

        func get(_ authorization: String? = nil) async throws -> HTTPResponse {
            var request = HTTPRequest("GET", url)
            request.headers["Authorization"] = authorization
            return try await transport.send(request)
        }

        /// Its challenge.
        func refusal(_ token: String) async throws -> String? {
            let answer = try await get("Bearer \(token)")
            #expect(answer.status == 401 && answer.body.isEmpty)
            return answer.header("www-authenticate")
        }
    }

    private static let invalid = #"Bearer error="invalid_token""#

    /// A server with two keys that the test has too: the first one signs, both are published.
    private struct KeyedServer {
        let server: DeployedServer
        let keys: [SigningKey]

        init() throws {
            keys = try (0..<2).map { _ in try SigningKey.generate(.es256, random: .system) }
            let file = try keys.compactMap { try $0.pem()?.reveal() }.flatMap { $0 }
            let text = JSON.string(String(decoding: file, as: UTF8.self)).text
            let contract = #""CONTRACT": "latchkey","#
            server = try DeployedServer(
                parameters: ["Dpop=optional"],
                changes: [(contract, #"\#(contract)"SIGNING_KEY": \#(text),"#)])
        }
    }

    @Test func `tokens of the server are accepted, and no others`() async throws {
        let deployed = try KeyedServer()
        let server = deployed.server
        let client = try server.client()
        let user = try #require(
            try await client.signIn(try await server.credential()).session?.user?.id)
        let token = try await client.validToken().value
        let content = try ContentServer(trusting: server.emulator.appURL)
        let answer = try await content.get("Bearer \(token)")
        #expect(answer.status == 200 && answer.body == Data("Hello, \(user)\n".utf8))
        let without = try await content.get()
        #expect(without.status == 401 && without.header("www-authenticate") == "Bearer")

        for (name, forged) in try Self.forgeries(of: token, deployed.keys[0]) {
            try await expectEqual(content.refusal(forged), Self.invalid, "\(name)")
        }
        // The key that signs next, or has signed before.
        let claims = try Self.claims(of: token)
        let rotated = try JWT.sign(
            claims, with: deployed.keys[1], type: "at+jwt", includesKeyID: true)
        try await expectEqual(content.get("Bearer \(rotated)").status, 200)

        // Bound to a key, of which a bearer token has no proof.
        let key = try TestProofKey()
        let proving = try server.client { $0.proofKey = key }
        _ = try await proving.signIn(try await server.credential(subject: "grace"))
        let bound = try await proving.validToken()
        expectEqual(bound.type, "DPoP")
        try await expectEqual(content.refusal(bound.value), Self.invalid)
        try await expectEqual(content.get("DPoP \(bound.value)").status, 401)
        // The same keys, and another issuer.
        let other = try ContentServer(trusting: "\(server.emulator.appURL)/")
        try await expectEqual(other.refusal(token), Self.invalid)
    }

    @Test func `tokens of another contract are refused`() async throws {
        let server = try DeployedServer()
        let livlogios = try DeployedServer("livlogios")
        let client = try livlogios.client(.livlogios)
        try await Self.signIn(client, at: livlogios)
        let token = try await client.validToken().value
        for issuer in [server.emulator.appURL, livlogios.emulator.appURL] {
            let content = try ContentServer(trusting: issuer)
            // The keys of livlogios are for RS256: the content server expects another algorithm.
            let answer = try await content.get("Bearer \(token)")
            expectEqual(answer.status, issuer == server.emulator.appURL ? 401 : 503)
        }
    }

    /// On a busy machine the function may wait too long for the provider's keys, and says so.
    private static func signIn(_ client: LatchkeyClient, at server: DeployedServer) async throws {
        for _ in 0..<9 {
            do {
                _ = try await client.signIn(try await server.credential("apple"))
                return
            } catch AuthError.unavailable {
                continue
            }
        }
        _ = try await client.signIn(try await server.credential("apple"))
    }

    private static func claims(of token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        let payload = try #require(Base64URL.decode(parts[1]))
        return try #require(try JSON.parse(payload, limits: .request).objectValue)
    }

    /// Invalid tokens for this server: signed by its key, or made from public data.
    private static func forgeries(
        of token: String, _ own: SigningKey
    ) throws -> [(name: String, token: String)] {
        let parts = token.split(separator: ".").map(String.init)
        let claims = try claims(of: token)
        let now = Int64(Date().timeIntervalSince1970)
        func at(_ time: Int64) -> JSON { .number(JSONNumber(now + time)) }
        func signed(
            _ changes: JSONObject, _ key: SigningKey, _ type: String = "at+jwt"
        ) throws -> String {
            var changed = claims
            for change in changes.members { changed[change.name] = change.value }
            return try JWT.sign(changed, with: key, type: type, includesKeyID: true)
        }
        let none = Base64URL.encode(
            Array(#"{"alg":"none","typ":"at+jwt","kid":"\#(own.kid)"}"#.utf8))
        let publicKey = try #require(own.publicJWK)
        let secret = try SigningKey.secret(
            SecretBytes(JSON.object(publicKey).serialized), kid: own.kid)
        let other = try SigningKey.generate(.es256, random: .system)
        var stolen = claims
        stolen["sub"] = "eve"
        return [
            ("expired", try signed(["exp": at(-1)], own)),
            ("early", try signed(["iat": at(120)], own)),
            ("issuer", try signed(["iss": "https://eve.example.com"], own)),
            ("audience", try signed(["aud": "eve"], own)),
            ("type", try signed([:], own, "JWT")), ("no user", try signed(["sub": ""], own)),
            ("bound", try signed(["cnf": ["jkt": "x"]], own)),
            ("unknown key", try signed([:], other)), ("HS256", try signed([:], secret)),
            ("none", "\(none).\(parts[1])."), ("none, signed", "\(none).\(parts[1]).\(parts[2])"),
            ("claims", "\(parts[0]).\(Base64URL.encode(stolen.serialized)).\(parts[2])"),
            (
                "signature",
                "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))"
            ),
            ("too many parts", "\(token)."), ("text", "x"),
        ]
    }
}
