import BaseTestSupport
import FunctionRuntime
import Glibc
import HTTPClient

/// `FunctionMain` in its own process, with real descriptors and a real environment.
@Suite("FunctionMain, as a process") struct ProcessTests {
    @Test func `a function reads stdin, writes stdout and exits with 0`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            feed(gatewayEvent().serialized)
            runEcho()
        }
        let output = try #require(result).standardOutputContent
        #expect(text(output).contains(#""statusCode":200"#))
    }

    @Test
    func `an event of five megabytes is read in pieces and its response is written completely`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            let body = String(repeating: "x", count: 5 << 20)
            feed(gatewayEvent { $0["body"] = .string(body) }.serialized)
            FunctionMain.run(
                name: "echo", summary: "Echoes.", version: "1", arguments: [],
                transport: unusedTransport,
                start: { _, _ throws(StartFailure) in
                    .request { request in
                        let body = JSON.string(String(decoding: request.body, as: UTF8.self))
                        return Reply(status: 200, body: body)
                    }
                })
        }
        #expect(try #require(result).standardOutputContent.count > 5 << 20)
    }

    @Test func `an event over the limit is refused without reading all of it`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardOutputContent]
        ) {
            feed([UInt8](repeating: 0x20, count: 8 << 20))
            runEcho()
        }
        #expect(text(try #require(result).standardOutputContent).contains("larger than"))
    }

    @Test func `a closed stdout gives exit status 1 and no signal`() async {
        await #expect(processExitsWith: .exitCode(1)) {
            feed(gatewayEvent().serialized)
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            dup2(ends[1], 1)
            close(ends[0])
            close(ends[1])
            runEcho()
        }
    }

    @Test func `a closed stdin is an unreadable event`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            // Not `close`, after which another thread could open descriptor 0. Reading from a
            // write-only descriptor fails with the same error, EBADF.
            dup2(open("/dev/null", O_WRONLY), 0)
            runEcho()
        }
        let observed = try #require(result)
        #expect(text(observed.standardOutputContent).contains("cannot be read"))
        #expect(text(observed.standardErrorContent).contains(#""event":"invocation_failed""#))
    }

    @Test func `a non-blocking stdin and an interrupting signal change nothing`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            // A handler without SA_RESTART interrupts read(2) and poll(2).
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            sigaction(SIGALRM, &action, nil)
            var timer = itimerval()
            timer.it_interval.tv_usec = 1000
            timer.it_value.tv_usec = 1000
            setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
            feed(gatewayEvent().serialized, afterMicroseconds: 20_000)
            _ = fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK)
            runEcho()
        }
        #expect(text(try #require(result).standardOutputContent).contains(#""statusCode":200"#))
    }

    @Test func `a watchdog's environment is decoded as a request`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            setenv("Http_Method", "DELETE", 1)
            setenv("Http_Path", "/me", 1)
            feed([])
            runEcho()
        }
        #expect(
            text(try #require(result).standardOutputContent)
                .contains(#"{"method":"DELETE","path":"/me"}"#))
    }

    // With the local client for a numeric address, with libcurl for a name.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a function serves the Runtime API, cold and then warm`(host: String) async throws {
        // Longer, shorter, too long and empty trace IDs, because the variable is overwritten in
        // place.
        let traces = [
            "Root=1-a", "Root=1-bbbbbbbb;Sampled=1", "Root=1-c", "", "Root=1-d",
            String(repeating: "x", count: 2000), "Root=1-e",
        ]
        let ids = traces.indices.map { "id-\($0)" }
        let events = zip(ids, traces).map { id, trace in
            let event = gatewayEvent { $0["body"] = .string("é𝄞 \(id)") }
            return RuntimeAPIEvent(requestID: id, body: event.serialized, traceID: trace)
        }
        let server = try RuntimeAPIServer(events: events)
        DetachedThread.run {
            _ = server.waitForPosts(traces.count)
            server.stop()
        }
        let authority = "\(host):\(server.authority.split(separator: ":")[1])"
        await #expect(processExitsWith: .exitCode(1)) { [authority = authority as String] in
            setenv("AWS_LAMBDA_RUNTIME_API", authority, 1)
            setenv("_X_AMZN_TRACE_ID", "inherited", 1)
            runTraceEcho()
        }
        server.stop()
        let posts = server.posts
        expectEqual(posts.map(\.kind), traces.map { _ in .response })
        expectEqual(posts.map(\.requestID), ids)
        let answers = try posts.map { try JSON.parse($0.request.body, limits: .event) }
        let expected = zip(ids, traces).map { id, trace in
            let visible = trace.utf8.count > 1024 ? "" : trace
            return JSON.string(#"{"body":"é𝄞 \#(id)","trace":"\#(visible)"}"#)
        }
        expectEqual(answers.map { $0["body"] }, expected)
    }

    @Test func `configuration errors are posted to the Runtime API`() async throws {
        let server = try RuntimeAPIServer()
        defer { server.stop() }
        await #expect(processExitsWith: .exitCode(1)) { [authority = server.authority as String] in
            setenv("AWS_LAMBDA_RUNTIME_API", authority, 1)
            FunctionMain.run(
                name: "echo", summary: "Echoes.", version: "1", arguments: [],
                transport: curlTransport(),
                start: { _, _ throws(StartFailure) in
                    throw StartFailure(problems: ["STORE is missing"])
                })
        }
        expectEqual(server.posts.map(\.kind), [.initError])
    }
}

private let unusedTransport = HTTPTransport { _ throws(HTTPFailure) in throw .invalidURL }

private func curlTransport() -> HTTPTransport {
    CurlTransport(trust: CertificateTrust(variable: { _ in nil })).transport
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func runEcho() -> Never {
    FunctionMain.run(
        name: "echo", summary: "Echoes.", version: "1", arguments: [],
        transport: unusedTransport,
        start: { _, _ throws(StartFailure) in
            .request { request in
                let body: JSON = [
                    "method": .string(request.method), "path": .string(request.path),
                ]
                return Reply(status: 200, body: body)
            }
        })
}

private func runTraceEcho() -> Never {
    FunctionMain.run(
        name: "echo", summary: "Echoes.", version: "1", arguments: [],
        transport: curlTransport(),
        start: { _, _ throws(StartFailure) in
            .request { request in
                let trace = getenv("_X_AMZN_TRACE_ID").map { String(cString: $0) }
                let body: JSON = [
                    "body": .string(text(request.body)), "trace": .string(trace ?? ""),
                ]
                return Reply(status: 200, body: body)
            }
        })
}

/// Makes these bytes the standard input. Written by a thread, because a pipe holds only 64 KiB.
private func feed(_ bytes: [UInt8], afterMicroseconds pause: UInt32 = 0) {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    dup2(ends[0], 0)
    close(ends[0])
    let writer = ends[1]
    DetachedThread.run {
        usleep(pause)
        signal(SIGPIPE, SIG_IGN)
        _ = Descriptor.writeAll(bytes, to: writer)
        close(writer)
    }
}
