import Glibc

/// `FunctionMain` in its own process, with real descriptors and a real environment.
@Suite("FunctionMain, as a process") struct ProcessTests {
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
}

private let unusedTransport = HTTPTransport { _ throws(HTTPFailure) in throw .invalidURL }

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func runEcho() -> Never {
    FunctionMain.run(
        name: "echo", summary: "Echoes.", version: "1", arguments: [],
        transport: unusedTransport,
        start: { _, _ throws(StartFailure) in
            .request { request in
                let body: JSON = ["method": .string(request.method), "path": .string(request.path)]
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
