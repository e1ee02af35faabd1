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

    @Test func `a failing function gives exit status 1 and its output`() throws {
        let (bench, options) = try bench("echo '{\"errorMessage\":\"no\"}'; exit 9")
        let said = invoke(options, on: bench, transport: Self.noServer)
        expectEqual(said.status, 1)
        expectEqual(said.response, "{\"errorMessage\":\"no\"}\n")
    }

    @Test func `an event in the short form is expanded`() throws {
        let (bench, options) = try bench("cat")
        try bench.write(#"{"request": "GET /x"}"#, to: "event.json")
        let said = invoke(options, on: bench, transport: Self.noServer)
        try expectEqual(JSON.parse(said.response, limits: .event)["rawPath"], "/x")
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
