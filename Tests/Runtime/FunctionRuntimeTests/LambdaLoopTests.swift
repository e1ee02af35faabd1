/// The loop with a Runtime API in memory: no sockets, no waiting.
@Suite("Lambda Runtime API, in memory") struct LambdaLoopTests {
    @Test func `work after the reply is done before the next event, until the deadline`() throws {
        let api = try ScriptedAPI([gatewayEvent().serialized, Array("[]".utf8)])
        let steps = Mutex<[String]>([])
        let handler = Handler.request(afterReply: { deadline in
            let calls = api.seen.map { $0.path.split(separator: "/").last ?? "" }
            let end = deadline?.milliseconds ?? 0
            steps.withLock { $0.append("\(calls.joined(separator: " ")) until \(end)") }
        }) { _ in Reply(status: 200, body: [:]) }
        _ = api.run(handler: handler)
        expectEqual(
            steps.withLock { $0 },
            ["next response until 1000", "next response next error until 2000"])
    }

    @Test(arguments: [
        ("Function.Refused", "Function.Refused"), ("Runtime.X1", "Function.Unknown"),
        ("Unauthorized", "Function.Unknown"), ("Function.", "Function.Unknown"),
        ("Function.lower", "Function.Unknown"), ("Function.A", "Function.Unknown"),
        ("Function.Ab.C", "Function.Unknown"), ("Other.Type", "Function.Unknown"),
    ])
    func `a handler's own failure keeps its type in the body`(type: String, header: String) throws {
        let api = try ScriptedAPI([Array("{}".utf8)])
        _ = api.run(
            handler: .event { _, _ throws(FunctionError) in
                throw FunctionError(type: type, message: "Unauthorized")
            })
        let post = try #require(api.posts.first)
        expectEqual(post.kind, .error)
        expectEqual(post.request.header("lambda-runtime-function-error-type"), header)
        let body = try JSON.parse(post.request.body, limits: .response)
        expectEqual(body["errorType"]?.stringValue, type)
        expectEqual(body["errorMessage"], "Unauthorized")
    }

    @Test func `a response that is too large becomes an error, and the loop continues`() throws {
        let api = try ScriptedAPI([Array("{}".utf8), Array("{}".utf8)])
        let size = Mutex(7 << 20)
        _ = api.run(
            handler: .request { _ in
                let count = size.withLock { count in
                    defer { count = 1 }
                    return count
                }
                return Reply(status: 200, body: .string(String(repeating: "x", count: count)))
            })
        expectEqual(api.posts.map(\.kind), [.error, .response])
        let error = try JSON.parse(api.posts[0].request.body, limits: .response)
        expectEqual(error["errorType"], "Function.ResponseSizeTooLarge")
        expectEqual(api.posts[1].request.bodyText, "\"x\"")
    }

    @Test func `next is retried with increasing pauses a limited number of times`() throws {
        let api = try ScriptedAPI([])
        let run = api.run()
        expectEqual(api.status, 1)
        expectEqual(api.seen.count, 6)
        expectEqual(run.pauses, [10, 20, 40, 80, 160])
        #expect(api.seen.allSatisfy { $0.limits.totalMillisecondsMax == nil })
    }

    @Test func `a successful next resets the retries`() throws {
        let bad = [HTTPFailure.timedOut, .timedOut, .timedOut, .timedOut, .timedOut]
        let api = try ScriptedAPI([Array("{}".utf8)], nextFailures: bad)
        let run = api.run()
        expectEqual(api.posts.count, 1)
        expectEqual(run.pauses, [10, 20, 40, 80, 160, 10, 20, 40, 80, 160])
    }

    @Test func `a 500 from the platform ends the process at once`() throws {
        let next = try ScriptedAPI([], statuses: ["next": 500])
        #expect(next.run().pauses.isEmpty)
        expectEqual(next.status, 1)
        let response = try ScriptedAPI(
            [Array("{}".utf8), Array("{}".utf8)], statuses: ["response": 500])
        expectEqual(response.run().requests.count, 1)
        expectEqual(response.status, 1)
    }

    @Test func `a response that cannot be delivered only affects its invocation`() throws {
        let api = try ScriptedAPI(
            [Array("{}".utf8), Array("{}".utf8)], statuses: ["response": 400])
        let run = api.run()
        expectEqual(run.requests.count, 2)
        #expect(run.errors.contains(#""event":"runtime_api_post_failed","requestId":"id-1""#))
        #expect(run.errors.contains("status 400"))
    }

    @Test func `a post is repeated only if it cannot have arrived`() throws {
        let refused = HTTPFailure.connectFailed(detail: "refused")
        let again = try ScriptedAPI([Array("{}".utf8)], postFailures: [refused, refused])
        _ = again.run()
        expectEqual(again.posts.count, 1)
        let lost = try ScriptedAPI(
            [Array("{}".utf8)], postFailures: [.interrupted(detail: "reset")])
        _ = lost.run()
        #expect(lost.posts.isEmpty)
        expectEqual(lost.seen.filter { $0.path.hasSuffix("/response") }.count, 1)
    }

    @Test(arguments: ["", "a b", "../init/error?", "é"])
    func `an invocation without a valid id is refused`(requestID: String) throws {
        let api = try ScriptedAPI([Array("{}".utf8)], requestID: requestID)
        #expect(api.run().requests.isEmpty)
        #expect(api.posts.isEmpty)
        expectEqual(api.status, 1)
    }
}

/// `RuntimeAPIServer` without its sockets, with faults.
private final class ScriptedAPI: Sendable {
    struct Seen { let path: String, limits: HTTPLimits }
    private struct State {
        var left: Int
        var nextFailures: [HTTPFailure]
        var postFailures: [HTTPFailure]
        var seen: [Seen] = []
        var status: Int32?
    }

    private let server: RuntimeAPIServer
    private let statuses: [String: Int]
    private let state: Mutex<State>

    init(
        _ events: [[UInt8]], requestID: String? = nil, statuses: [String: Int] = [:],
        nextFailures: [HTTPFailure] = [], postFailures: [HTTPFailure] = []
    ) throws {
        self.statuses = statuses
        state = Mutex(
            State(left: events.count, nextFailures: nextFailures, postFailures: postFailures))
        server = try RuntimeAPIServer(
            events: events.enumerated().map { index, body in
                RuntimeAPIEvent(
                    requestID: requestID ?? "id-\(index)", body: body,
                    deadlineMilliseconds: Int64(index + 1) * 1000, traceID: "Root=1-\(index)")
            }, hasSockets: false)
    }

    var posts: [RuntimeAPIPost] { server.posts }
    var seen: [Seen] { state.withLock { $0.seen } }
    var status: Int32? { state.withLock { $0.status } }

    func run(
        handler: Handler? = nil,
        start: ((Environment) throws(StartFailure) -> Handler)? = nil
    ) -> HostRun {
        let run = HostRun(variables: [("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001")])
        let transport = HTTPTransport { [self] request throws(HTTPFailure) in try send(request) }
        let status = run.host(transport: transport) { environment, _ throws(StartFailure) in
            if let start { return try start(environment) }
            return handler ?? run.echo
        }
        state.withLock { $0.status = status }
        return run
    }

    private func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        let base = "http://127.0.0.1:9001"
        let path = String(request.url.dropFirst(base.utf8.count))
        let kind = String(path.split(separator: "/").last ?? "")
        let failure = state.withLock { state -> HTTPFailure? in
            state.seen.append(Seen(path: path, limits: request.limits))
            if kind != "next" {
                return state.postFailures.isEmpty ? nil : state.postFailures.removeFirst()
            }
            if !state.nextFailures.isEmpty { return state.nextFailures.removeFirst() }
            guard statuses["next"] == nil else { return nil }
            guard state.left > 0 else { return .connectFailed(detail: "no more events") }
            state.left -= 1
            return nil
        }
        if let failure { throw failure }
        if let status = statuses[kind] { return HTTPResponse(status: status) }
        let seen = HTTPRequestSeen(
            method: request.method.rawValue, target: path,
            headers: request.headers.map { HTTPHeader($0.name.lowercased(), $0.value) },
            body: request.body)
        guard case .response(let response) = server.answer(seen) else { throw .timedOut }
        return response
    }
}
