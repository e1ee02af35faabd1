import LatchkeyCurl

/// Requirements for every transport: see the documentation of `Transport`.
@Suite("Transports", .timeLimit(.minutes(2)))
struct TransportContractTests {
    enum Kind: CaseIterable {
        case urlSession, libcurl

        var transport: any Transport {
            switch self {
            case .urlSession: URLSessionTransport()
            case .libcurl: LibcurlTransport()
            }
        }
    }

    /// A transport and its server, which ends with the test.
    private final class Fixture: Sendable {
        let server: TransportServer
        let transport: any Transport

        init(_ kind: Kind) throws {
            server = try TransportServer()
            transport = kind.transport
        }

        deinit { server.stop() }

        func send(
            _ path: String, by method: String = "GET", headers: [String: String] = [:],
            body: Data? = nil, timeout: Duration = .seconds(30), bytesMax: Int = 1 << 20
        ) async throws -> HTTPResponse {
            let url = try #require(URL(string: server.url + path))
            return try await transport.send(
                HTTPRequest(
                    method, url, headers: headers, body: body, timeout: timeout,
                    answerBytesMax: bytesMax))
        }
    }

    @Test(arguments: Kind.allCases)
    func `requests arrive unchanged, and any status is an answer`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let body = method == "GET" ? nil : Data("a\r\nb\0".utf8)
            let answer = try await fixture.send(
                "/echo/a%2Fb?c=%20d&e", by: method, headers: ["X-Sent": "value"], body: body)
            #expect(answer.status == 200 && answer.header("x-method") == method)
            expectEqual(answer.header("X-SEEN"), "value")
            expectEqual(answer.header("x-target"), "/echo/a%2Fb?c=%20d&e")
            expectEqual(answer.body, body ?? Data())
        }
        let head = try await fixture.send("/echo", by: "HEAD")
        #expect(head.header("x-method") == "HEAD" && head.body.isEmpty)
        for status in [204, 304, 400, 401, 403, 404, 429, 500, 503] {
            try await expectEqual(fixture.send("/status/\(status)").status, status)
        }
        try await expectEqual(
            fixture.send("/status/401", by: "POST", body: Data("x".utf8)).status, 401)
    }

    @Test(arguments: Kind.allCases)
    func `no redirect is followed, and no cookie is kept`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        let answer = try await fixture.send("/redirect")
        #expect(answer.status == 302 && answer.header("location") == "/echo")
        expectEqual(fixture.server.requestCount, 1)
        for _ in 0..<2 { try await expectEqual(fixture.send("/echo").header("x-cookie"), "none") }
    }

    @Test(arguments: Kind.allCases)
    func `an answer that is too long is refused`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        for path in ["/bytes/5000", "/chunks/5000"] {
            try await expectEqual(fixture.send(path, bytesMax: 5000).body.count, 5000)
            await #expect(throws: TransportError.answerTooLarge) {
                _ = try await fixture.send(path, bytesMax: 4999)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `truncated answers count as lost`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        for path in ["/hang-up", "/truncated", "/nonsense"] {
            await #expect(throws: TransportError.lost, "\(path)") {
                _ = try await fixture.send(path, by: "POST", body: Data("x".utf8))
            }
        }
        for path in ["/silence", "/stall"] {
            await #expect(throws: TransportError.lost, "\(path)") {
                _ = try await fixture.send(path, timeout: .milliseconds(300))
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `an undeliverable request is reported as not sent`(kind: Kind) async throws {
        let port = try FreePort.find()
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        await #expect(throws: TransportError.notSent) {
            _ = try await kind.transport.send(HTTPRequest("POST", url))
        }
        let name = try #require(URL(string: "http://\(unknownHost)/"))
        await #expect(throws: TransportError.notSent) {
            _ = try await kind.transport.send(HTTPRequest("POST", name))
        }
    }

    @Test(arguments: Kind.allCases)
    func `a cancelled exchange ends quickly`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        let exchange = Task { try await fixture.send("/silence") }
        while fixture.server.requestCount == 0 { await Task.yield() }
        exchange.cancel()
        await #expect(throws: TransportError.cancelled) { _ = try await exchange.value }
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await fixture.send("/echo")
        }
        late.cancel()
        await #expect(throws: TransportError.cancelled) { _ = try await late.value }
        expectEqual(fixture.server.requestCount, 1)
        try await expectEqual(fixture.send("/echo").status, 200)
    }

    @Test(arguments: Kind.allCases)
    func `concurrent exchanges get their own answers`(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let body = Data("\(number)".utf8)
                    return try await fixture.send("/echo", by: "POST", body: body).body == body
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
