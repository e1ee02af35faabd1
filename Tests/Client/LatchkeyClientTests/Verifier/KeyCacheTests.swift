import Cryptography
import JOSE
import JSON
import LatchkeyVerifier

@Suite("Keys at an application's server", .timeLimit(.minutes(2)))
struct KeyCacheTests {
    private static let unavailable = AccessRefusal.keysUnavailable(retryAfterSeconds: 1)

    @Test func `keys are fetched once an hour`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        for _ in 0..<10 { _ = try await verifier.verify(token: try server.token()) }
        server.clock.advance(by: .seconds(3599))
        _ = try await verifier.verify(token: try server.token())
        expectEqual(server.requests.count, 1)
        server.clock.advance(by: .seconds(1))
        _ = try await verifier.verify(token: try server.token())
        expectEqual(server.requests.count, 2)
        let request = try #require(server.requests.first)
        #expect(request.timeout <= .seconds(5) && request.answerBytesMax <= 256 << 10)
    }

    @Test func `a rotated key is fetched, and a withdrawn one is refused`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        let old = try server.token()
        _ = try await verifier.verify(token: old)
        let next = try SigningKey.generate(.es256, random: .system)
        server.answers(.keys([next, server.key]))
        server.clock.advance(by: .seconds(60))
        _ = try await verifier.verify(token: try server.token(key: next))
        _ = try await verifier.verify(token: old)
        expectEqual(server.requests.count, 2)
        server.answers(.keys([next]))
        server.clock.advance(by: .seconds(3600))
        let late = try server.token()
        await #expect(throws: AccessRefusal.invalidToken(.unknownKey)) {
            _ = try await verifier.verify(token: late)
        }
        _ = try await verifier.verify(token: try server.token(key: next))
        expectEqual(server.requests.count, 3)
    }

    @Test func `unknown key IDs cause one fetch a minute`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        _ = try await verifier.verify(token: try server.token())
        for minute in 1...3 {
            server.clock.advance(by: .seconds(60))
            for _ in 0..<50 {
                let thief = try SigningKey.generate(.es256, random: .system)
                let token = try server.token(key: thief)
                await #expect(throws: AccessRefusal.invalidToken(.unknownKey)) {
                    _ = try await verifier.verify(token: token)
                }
            }
            expectEqual(server.requests.count, 1 + minute)
        }
    }

    @Test func `requests share a fetch, and a cancelled one does not stop it`()
        async throws
    {
        let server = try KeyServer()
        let verifier = try server.verifier()
        let token = try server.token()
        let gate = Gate()
        server.answers(.waits(gate, [server.key]))
        let first = Task { try await verifier.verify(token: token).userID }
        await gate.reached()
        let others = (0..<100).map { _ in Task { try await verifier.verify(token: token).userID } }
        first.cancel()
        await gate.open()
        for other in others { try await expectEqual(other.value, "ada") }
        expectEqual(server.requests.count, 1)
    }

    @Test func `the last good keys are kept while the server is unreachable`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        _ = try await verifier.verify(token: try server.token())
        server.answers(.failure(.notSent))
        server.clock.advance(by: .seconds(3600))
        for _ in 0..<5 { _ = try await verifier.verify(token: try server.token()) }
        expectEqual(server.requests.count, 2)
        // The key may be a new one, so the token is not refused with 401.
        let next = try SigningKey.generate(.es256, random: .system)
        let token = try server.token(key: next)
        await #expect(throws: AccessRefusal.keysUnavailable(retryAfterSeconds: 60)) {
            _ = try await verifier.verify(token: token)
        }
        server.clock.advance(by: .seconds(86_399))
        _ = try await verifier.verify(token: try server.token())
        server.clock.advance(by: .seconds(1))
        let late = try server.token()
        await #expect(throws: Self.unavailable) { _ = try await verifier.verify(token: late) }
        server.answers(.keys([server.key]))
        server.clock.advance(by: .seconds(1))
        _ = try await verifier.verify(token: late)
    }

    @Test func `a response that is not a set of usable keys replaces nothing`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        _ = try await verifier.verify(token: try server.token())
        let rsa = try SigningKey.generate(.rs256, random: .system)
        let twins = JSON.array((0..<2).compactMap { _ in server.key.publicJWK.map { .object($0) } })
        let answers: [KeyServer.Answer] = [
            .text(200, "<html>"), .text(200, "{}"), .text(200, #"{"keys":[]}"#), .text(404, ""),
            .text(500, KeyServer.set([rsa]).text), .text(302, ""), .keys([rsa]),
            .text(200, #"{"keys":\#(twins.text)}"#), .failure(.lost), .failure(.answerTooLarge),
            .text(200, #"{"keys":["# + String(repeating: " ", count: 256 << 10) + "]}"),
        ]
        for (number, answer) in answers.enumerated() {
            server.answers(answer)
            server.clock.advance(by: .seconds(number == 0 ? 3600 : 60))
            _ = try await verifier.verify(token: try server.token())
            expectEqual(server.requests.count, 2 + number)
        }
        for answer in answers {
            let fresh = try server.verifier()
            server.answers(answer)
            let token = try server.token()
            await #expect(throws: Self.unavailable, "\(answer)") {
                _ = try await fresh.verify(token: token)
            }
        }
    }

    @Test func `without keys the server is asked at most once a second`() async throws {
        let server = try KeyServer()
        let verifier = try server.verifier()
        server.answers(.text(503, ""))
        for _ in 0..<20 {
            let token = try server.token()
            await #expect(throws: Self.unavailable) { _ = try await verifier.verify(token: token) }
        }
        expectEqual(server.requests.count, 1)
        server.answers(.keys([server.key]))
        server.clock.advance(by: .seconds(1))
        _ = try await verifier.verify(token: try server.token())
        expectEqual(server.requests.count, 2)
    }
}
