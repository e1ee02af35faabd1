import AuthComposition
import Cryptography
import FunctionRuntime
import HTTPClient
import Synchronization
import TestSupport
import Time

/// What came of one run of a function.
struct RunResult {
    let exit: Int32
    let output: [UInt8]
    let errors: [UInt8]
}

/// One run of a function inside the test, by the same code over the same files, at another time.
enum ShiftedRun {
    static func run(
        _ function: String, input: [UInt8], environment: [String: String], clock shift: Span
    ) -> RunResult {
        let captured = Captured()
        let streams = StandardStreams(
            readInput: { _ throws(StandardStreams.ReadFailure) in input },
            writeOutput: { bytes in
                captured.output.withLock { $0 += bytes }
                return true
            },
            writeError: { bytes in captured.errors.withLock { $0 += bytes } },
            inputIsTerminal: { false })
        let variables = Environment(environment.map { (name: $0.key, value: $0.value) })
        let host = FunctionHost(
            name: function, summary: "", version: "0", environment: variables, streams: streams,
            newRequestID: { "shifted" }, sleep: { _ in }, setTraceID: { _ in })
        let transport = CurlTransport(trust: CertificateTrust(variable: { _ in nil })).transport
        let exit = host.run([], transport: { transport }) { variables throws(StartFailure) in
            let assembly = Assembly(
                environment: variables, clock: WallClock { WallClock.system.now() + shift },
                random: .system, transport: transport, sleep: { _ in })
            let log = Log(level: .info) { bytes in captured.errors.withLock { $0 += bytes } }
            guard function != "authorizer" else {
                return try LatchkeyFunction.authorizerHandler(assembly, log)
            }
            return try LatchkeyFunction.handler(
                of: function, serving: FunctionTable.operations(of: function) ?? [], assembly, log)
        }
        return RunResult(
            exit: exit, output: captured.output.withLock { $0 },
            errors: captured.errors.withLock { $0 })
    }

    private final class Captured: Sendable {
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
    }
}
