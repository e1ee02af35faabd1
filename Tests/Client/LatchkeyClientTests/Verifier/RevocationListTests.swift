import Cryptography
import JOSE
import JSON
import LatchkeyVerifier

@Suite("The revocation list, at an application's server", .timeLimit(.minutes(2)))
struct RevocationListTests {
    private static let unavailable = AccessRefusal.revocationsUnavailable(retryAfterSeconds: 1)
    private static let ended = AccessRefusal.invalidToken(.ended)

    /// A verifier's error for a token; nil if the token is accepted.
    private func refusal(_ verifier: AccessTokenVerifier, _ token: String) async -> AccessRefusal? {
        do throws(AccessRefusal) {
            _ = try await verifier.verify(token: token)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (["ended": ["session"]], [:], true), (["ended": ["other"]], [:], false),
            (["ended": ["browser"]], ["latchkey_ends_with": ["key", "browser"]], true),
            (["epochs": ["ada": 4]], [:], true), (["epochs": ["ada": 3]], [:], false),
            (["epochs": ["bea": 4]], [:], false),
            (["clients": ["printer": 9_000_000_000]], [:], true),
            (["clients": ["printer": 1000]], [:], false),
            (["clients": ["tool": 9_000_000_000]], [:], false),
            // A client's own token has no session.
            ([:], ["sid": nil, "epoch": nil, "sub": "printer"], false),
            (
                ["clients": ["printer": 9_000_000_000]],
                ["sid": nil, "epoch": nil, "sub": "printer"], true
            ),
        ] as [(JSONObject, [String: JSON?], Bool)])
    func `a token ends by session, epoch and client`(
        list: JSONObject, claims: [String: JSON?], hasEnded: Bool
    ) async throws {
        let server = try ListingServer()
        server.change { $0.changes = list }
        var changes: JSONObject = [:]
        for (name, value) in claims { changes[name] = value ?? .null }
        let found = await refusal(try server.verifier(), try server.token(changes))
        expectEqual(found, hasEnded ? Self.ended : nil)
    }

    @Test(arguments: ["sid", "epoch", "latchkey_ends_with"])
    func `a token without the claims that the list needs is refused`(claim: String) async throws {
        let server = try ListingServer()
        let value: JSON = claim == "latchkey_ends_with" ? "browser" : .null
        let found = await refusal(try server.verifier(), try server.token([claim: value]))
        expectEqual(found, .invalidToken(.unlistable))
    }

    @Test(
        arguments: [
            { $0.type = "at+jwt" }, { $0.changes = ["iss": "https://evil.example"] },
            { $0.changes = ["exp": 1000] }, { $0.changes = ["iat": 9_000_000_000] },
            { $0.changes = ["complete": .null] }, { $0.changes = ["complete": false] },
            { $0.changes = ["ended": .null] }, { $0.changes = ["ended": [1]] },
            { $0.changes = ["epochs": []] }, { $0.changes = ["since": "x"] },
            // The list covers another period than the requested one, like a list from a cache that
            // has mixed up addresses.
            { $0.changes = ["since": 9_000_000] }, { $0.status = 404 }, { $0.status = 304 },
            { $0.isDown = true },
            { $0.signer = try? SigningKey.generate(.es256, random: .system) },
        ] as [@Sendable (inout ListingServer.Contents) -> Void])
    func `no token is accepted if the list is wrong, foreign, incomplete or missing`(
        change: @Sendable (inout ListingServer.Contents) -> Void
    ) async throws {
        let server = try ListingServer()
        server.change(change)
        expectEqual(await refusal(try server.verifier(), try server.token()), Self.unavailable)
        expectEqual(Self.unavailable.status, 503)
        // Unless the operator says so.
        let accepting = try server.verifier { $0.fallback = .accept }
        expectEqual(await refusal(accepting, try server.token()), nil)
        for isAlive in [true, false] {
            let asking = try server.verifier { $0.fallback = .ask { _ in isAlive } }
            expectEqual(await refusal(asking, try server.token()), isAlive ? nil : Self.ended)
        }
    }

    @Test func `an ended session is noticed within two seconds`() async throws {
        let server = try ListingServer()
        let verifier = try server.verifier()
        let token = try server.token()
        for _ in 0..<20 {
            expectEqual(await refusal(verifier, token), nil)
            server.clock.advance(by: .milliseconds(100))
        }
        #expect(server.requests.count <= 3)
        server.change { $0.ended = ["session"] }
        server.clock.advance(by: .milliseconds(2001))
        expectEqual(await refusal(verifier, token), Self.ended)
        let request = try #require(server.requests.last)
        #expect(request.timeout <= .seconds(2))
        // The list since a time, which other servers ask for, too.
        let since = try #require(request.url.query()?.split(separator: "=").last)
        #expect(try #require(Int64(since)) % 10 == 0)
    }

    @Test func `the last list is used for ten seconds`() async throws {
        let server = try ListingServer()
        let verifier = try server.verifier()
        let token = try server.token()
        expectEqual(await refusal(verifier, token), nil)
        server.change { $0.isDown = true }
        server.clock.advance(by: .seconds(10))
        expectEqual(await refusal(verifier, token), nil)
        server.clock.advance(by: .seconds(1))
        expectEqual(await refusal(verifier, token), Self.unavailable)
        server.change { $0.isDown = false }
        server.clock.advance(by: .seconds(1))
        expectEqual(await refusal(verifier, token), nil)
    }

    @Test func `an older list from a cache does not restore ended sessions`() async throws {
        let server = try ListingServer()
        let verifier = try server.verifier()
        let token = try server.token()
        expectEqual(await refusal(verifier, token), nil)
        server.change { $0.ended = ["session"] }
        server.clock.advance(by: .seconds(3))
        expectEqual(await refusal(verifier, token), Self.ended)
        server.change { $0.ended = [] }
        server.clock.advance(by: .seconds(3))
        expectEqual(await refusal(verifier, token), Self.ended)
    }

    @Test func `any number of requests share a fetch`() async throws {
        let server = try ListingServer()
        let verifier = try server.verifier()
        let token = try server.token()
        let all = (0..<50).map { _ in Task { await refusal(verifier, token) } }
        for one in all { expectEqual(await one.value, nil) }
        expectEqual(server.requests.count, 1)
    }

    @Test func `a list over http is refused, except from this machine`() throws {
        for (url, isRight) in [
            ("http://auth.example.com", false), ("http://127.0.0.1:8080", true), ("x", false),
        ] { expectEqual((try? RevocationList(issuer: url)) != nil, isRight, "\(url)") }
    }
}
