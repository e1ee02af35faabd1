import BaseTestSupport
import EmulatorReplay

@Suite("InvokeCommand") struct InvokeCommandTests {
    private final class CapturedOutput: Sendable {
        let response = Mutex<[UInt8]>([])
        let log = Mutex<[UInt8]>([])
    }

    private func invoke(
        _ options: InvokeCommand.Options, on bench: FixtureWorkspace, transport: HTTPTransport
    ) -> (status: Int32, response: String, log: String) {
        let said = CapturedOutput()
        let status = InvokeCommand.run(
            options, to: bench.output, transport: transport,
            response: { bytes in said.response.withLock { $0 += bytes } },
            log: { bytes in said.log.withLock { $0 += bytes } })
        return (
            status, String(decoding: said.response.withLock { $0 }, as: UTF8.self),
            String(decoding: said.log.withLock { $0 }, as: UTF8.self)
        )
    }

    private static let noServer = HTTPTransport { _ throws(HTTPFailure) in
        throw .connectFailed(detail: "refused")
    }

    private func bench(_ script: String) throws -> (FixtureWorkspace, InvokeCommand.Options) {
        let bench = try FixtureWorkspace()
        try bench.install("f", "#!/bin/sh\n\(script)\n")
        try bench.write(#"{"x":1}"#, to: "event.json")
        return (
            bench,
            InvokeCommand.Options(
                function: "f", event: bench.folder.file("event.json"),
                executables: bench.executables)
        )
    }

    @Test func `without an emulator a process answers`() throws {
        let (bench, options) = try bench("echo words >&2; cat")
        let said = invoke(options, on: bench, transport: Self.noServer)
        expectEqual(said.status, 0)
        expectEqual(said.response, "{\"x\":1}\n")
        expectEqual(said.log, "words\n")
    }

    @Test func `a failing function gives exit status 1 and its output`() throws {
        let (bench, options) = try bench("echo '{\"errorMessage\":\"no\"}'; exit 9")
        let said = invoke(options, on: bench, transport: Self.noServer)
        expectEqual(said.status, 1)
        expectEqual(said.response, "{\"errorMessage\":\"no\"}\n")
    }

    @Test(arguments: [(nil, 0), ("Unhandled", 1)] as [(String?, Int32)])
    func `a running emulator is called by the Invoke API`(
        _ failure: String?, _ status: Int32
    ) throws {
        var (bench, options) = try bench("exit 1")
        options.executables = nil
        options.url = "http://127.0.0.1:1"
        let asked = Mutex<HTTPRequest?>(nil)
        let transport = HTTPTransport { request throws(HTTPFailure) in
            asked.withLock { $0 = request }
            let failures = failure.map { [HTTPHeader("x-amz-function-error", $0)] } ?? []
            return HTTPResponse(
                status: 200,
                headers: [HTTPHeader("x-amz-log-result", Base64.encode("log\n".utf8))] + failures,
                body: Array("{}".utf8))
        }
        let said = invoke(options, on: bench, transport: transport)
        expectEqual(said.status, status)
        expectEqual(said.response, "{}\n")
        expectEqual(said.log, "log\n")
        let request = try #require(asked.withLock { $0 })
        expectEqual(request.url, "http://127.0.0.1:1/2015-03-31/functions/f/invocations")
        expectEqual(request.body, Array(#"{"x":1}"#.utf8))
    }

    @Test func `an event in the short form is expanded`() throws {
        let (bench, options) = try bench("cat")
        try bench.write(#"{"request": "GET /x"}"#, to: "event.json")
        let said = invoke(options, on: bench, transport: Self.noServer)
        try expectEqual(JSON.parse(said.response, limits: .event)["rawPath"], "/x")
    }

    @Test(arguments: [
        ("refresh", "function not found: refresh; did you mean RefreshFunction? "),
        ("refreshfunction", "function not found: refreshfunction; did you mean RefreshFunction? "),
        ("KeisFunction", "function not found: KeisFunction; did you mean KeysFunction? "),
        ("function", "function not found: function. "), ("g", "function not found: g. "),
    ])
    func `the error for an unknown function lists the emulator's functions`(
        _ name: String, _ message: String
    ) throws {
        var (bench, options) = try bench("exit 1")
        (options.function, options.executables) = (name, nil)
        options.url = "http://127.0.0.1:1"
        let transport = HTTPTransport { request throws(HTTPFailure) in
            guard request.method == .get else { return HTTPResponse(status: 404) }
            let list: JSON = [
                "Functions": [
                    ["FunctionName": "RefreshFunction"], ["FunctionName": "KeysFunction"],
                ]
            ]
            return HTTPResponse(status: 200, body: list.serialized)
        }
        expectEqual(invoke(options, on: bench, transport: transport).status, 2)
        expectEqual(bench.noted, ["invoke: \(message)Functions: RefreshFunction, KeysFunction"])
    }

    @Test func `the error for an unknown executable lists the executables`() throws {
        var (bench, options) = try bench("exit 1")
        try bench.install("signin", "#!/bin/sh\n")
        try bench.install("fixture-step", "#!/bin/sh\n")
        try bench.write("", to: "built/signin.log")
        options.function = "singin"
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
        expectEqual(
            bench.noted,
            [
                "invoke: function not found: singin; did you mean signin? Functions: f, signin"
            ])
    }

    @Test func `the first line reports that no emulator runs`() throws {
        var (bench, options) = try bench("cat")
        (options.function, options.executables) = ("nowhere", nil)
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
        let text = try #require(bench.noted.first)
        #expect(text.hasPrefix("invoke: no emulator answers at http://127.0.0.1:8000; "), "\(text)")
        #expect(text.contains("LATCHKEY_EMULATOR_URL.\nWithout an emulator: "), "\(text)")
    }

    @Test func `a function that cannot be invoked gives exit status 2`() throws {
        var (bench, options) = try bench("cat")
        options.url = "http://127.0.0.1:1"
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
        options.url = nil
        options.event = "/nowhere.json"
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
        options.event = bench.folder.file("event.json")
        options.function = "g"
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
        options.function = "../f"
        expectEqual(invoke(options, on: bench, transport: Self.noServer).status, 2)
    }
}
