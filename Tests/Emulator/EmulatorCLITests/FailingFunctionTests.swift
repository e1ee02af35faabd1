import BaseTestSupport
import Foundation

/// Functions that fail in every way, invoked in every way, while other functions are used.
@Suite("Functions that fail", .serialized, .hangLimit)
struct FailingFunctionTests {
    enum EntryPoint: CaseIterable { case http, rest, url, invoke }

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let event: String
        /// The error type of Invoke; nil if Invoke reports no error.
        let type: String?
        let message: String
        var function = "subject"
        var doors = EntryPoint.allCases
    }

    private static let failures = [
        Failure(
            testDescription: "exit status", event: #"{"do":"exit","status":127}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: exit status 127"),
        Failure(
            testDescription: "exit 0", event: #"{"do":"exit","status":0}"#,
            type: "Runtime.ExitError", message: "Runtime exited without providing a reason"),
        Failure(
            testDescription: "kill -9", event: #"{"do":"kill","signal":"SIGKILL"}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: signal: killed"),
        Failure(
            testDescription: "segmentation fault", event: #"{"do":"kill","signal":"SIGSEGV"}"#,
            type: "Runtime.ExitError",
            message: "Runtime exited with error: signal: segmentation fault"),
        Failure(
            testDescription: "its own error", event: #"{"do":"what"}"#, type: "ValueError",
            message: "what"),
        Failure(
            testDescription: "hang", event: #"{"do":"sleep","seconds":1000}"#,
            type: "Sandbox.Timedout", message: "Task timed out after 1.00 seconds",
            function: "brief"),
        Failure(
            testDescription: "flood of logs", event: #"{"do":"flood"}"#,
            type: "Sandbox.Timedout", message: "Task timed out after 1.00 seconds",
            function: "brief"),
        Failure(
            testDescription: "10 MB", event: #"{"do":"big","bytes":10000000}"#,
            type: "Function.ResponseSizeTooLarge",
            message: "Response payload size exceeded maximum allowed payload size "
                + "(6291556 bytes)."),
        Failure(
            testDescription: "garbage", event: #"{"do":"garbage"}"#, type: nil,
            message: "\u{FFFD}\0 not json"),
        Failure(
            testDescription: "fork bomb", event: #"{"do":"fork","count":600}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: signal: killed",
            doors: [.http, .invoke]),
    ]

    @Test(arguments: ["warm", "cold"])
    func `failing functions get the documented error and do not affect others`(
        mode: String
    ) throws {
        let project = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try project.write([
            "subject": try ScriptedFunction.function(project, "subject"),
            "brief": try ScriptedFunction.function(project, "brief", timeoutSeconds: 1),
            "fine": try ScriptedFunction.function(project, "fine"),
        ])
        let emulator = try project.start()
        let neighbours = ConcurrentClients(emulator)
        for failure in Self.failures {
            let comment: Comment = "\(mode), \(failure.testDescription)"
            let answers = failure.doors.map { door in
                (door, PendingAnswer { try Self.call(failure, door, EmulatorClient(emulator)) })
            }
            for (door, answer) in answers {
                guard let answer = answer.wait() else {
                    Issue.record("no answer from \(door): \(failure.testDescription)")
                    continue
                }
                expect(answer, failure, door, comment)
            }
            // The next invocation of the same function succeeds.
            #expect(
                try ScriptedFunction.isFine(failure.function, EmulatorClient(emulator)), comment)
        }
        try expectClosedOutput(mode, EmulatorClient(emulator))
        let served = neighbours.stop()
        #expect(served.answered > 0)
        expectEqual(
            served.failed, 0,
            "\(served.failed) of \(served.answered): \(served.failure)\n\(emulator.log)")
        let children = Descendants(of: emulator.process.pid)
        #expect(children.count < 30, "\(children.count)")
        try expectEqual(
            EmulatorClient(emulator).app(.get, "/_emulator/health").json?["ready"], true)
    }

    private static func call(
        _ failure: Failure, _ door: EntryPoint, _ caller: EmulatorClient
    ) throws -> HTTPResponse {
        switch door {
        case .http: try caller.app(.post, "/\(failure.function)", failure.event)
        case .rest: try caller.app(.post, "/rest/\(failure.function)", failure.event)
        case .url: try caller.app(.post, "/_lambda-url/\(failure.function)/", failure.event)
        case .invoke: try caller.invoke(failure.function, failure.event)
        }
    }

    private func expect(
        _ answer: HTTPResponse, _ failure: Failure, _ door: EntryPoint, _ comment: Comment
    ) {
        switch door {
        case .http:
            expectEqual(answer.status, 500, comment)
            expectEqual(answer.text, #"{"message":"Internal Server Error"}"#, comment)
            expectEqual(answer.header("content-type"), "application/json", comment)
        case .rest:
            expectEqual(answer.status, 502, comment)
            expectEqual(answer.text, #"{"message":"Internal server error"}"#, comment)
            expectEqual(answer.header("x-amzn-errortype"), "InternalServerErrorException", comment)
        case .url:
            expectEqual(answer.status, 502, comment)
            expectEqual(answer.text, "Internal Server Error", comment)
        case .invoke:
            expectEqual(answer.status, 200, comment)
            expectEqual(answer.header("x-amz-executed-version"), "$LATEST", comment)
            guard let type = failure.type else {
                expectEqual(answer.header("x-amz-function-error"), nil, comment)
                expectEqual(answer.text, failure.message, comment)
                return
            }
            expectEqual(answer.header("x-amz-function-error"), "Unhandled", comment)
            expectEqual(answer.json?["errorType"]?.stringValue, type, comment)
            let message = answer.json?["errorMessage"]?.stringValue ?? ""
            let id = answer.header("x-amzn-requestid") ?? ""
            #expect(
                message == failure.message
                    || message == "RequestId: \(id) Error: \(failure.message)",
                "\(message)")
        }
    }

    /// A process with the Runtime API does not need its standard output; a cold one does.
    private func expectClosedOutput(_ mode: String, _ caller: EmulatorClient) throws {
        // Each in its own process, because output can be closed only once.
        let event = #"{"do":"close"}"#
        let answer = try caller.app(.post, "/subject", event)
        let direct = try caller.invoke("brief", event)
        if mode == "warm" {
            #expect(answer.status == 200 && answer.text == "closed")
            expectEqual(direct.text, #""closed""#)
        } else {
            expectEqual(answer.status, 500)
            expectEqual(direct.header("x-amz-function-error"), "Unhandled")
            #expect(direct.text.contains("Runtime exited without providing a reason"))
        }
        #expect(try ScriptedFunction.isFine("subject", caller))
    }
}

/// Clients of a working function, running all the time.
private final class ConcurrentClients: Sendable {
    private struct State: Sendable {
        var answered = 0
        var failed = 0
        var failure = ""
        var isOver = false
    }

    private let group = DispatchGroup()
    private let state = Mutex(State())

    init(_ emulator: EmulatorProcess) {
        for _ in 0..<2 {
            group.enter()
            DetachedThread.run { [self] in
                let caller = EmulatorClient(emulator)
                while !state.withLock({ $0.isOver }) {
                    let asked = ContinuousClock.now
                    let isFine = Result { try ScriptedFunction.isFine("fine", caller) }
                    state.withLock { state in
                        state.answered += 1
                        guard (try? isFine.get()) != true else { return }
                        state.failed += 1
                        state.failure = "\(isFine) after \(ContinuousClock.now - asked)"
                    }
                    usleep(5000)
                }
                group.leave()
            }
        }
    }

    func stop() -> (answered: Int, failed: Int, failure: String) {
        state.withLock { $0.isOver = true }
        group.wait()
        return state.withLock { ($0.answered, $0.failed, $0.failure) }
    }
}
