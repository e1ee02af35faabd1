internal import AuthComposition
internal import AuthDomain
internal import AuthRecords
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import Glibc
internal import HTTPClient
internal import KeyValueStore
internal import Time

/// A set-up step of a fixture that no function offers, performed by the functions' own code.
struct FixtureStep {
    let environment: Environment

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

    private let transport = CurlTransport(
        trust: CertificateTrust(variable: { _ in nil })
    ).transport

    /// Functions wait in real time for their turn to hash a password, even with a shifted clock.
    private let pause: @Sendable (Span) -> Void = {
        usleep(UInt32(clamping: $0.milliseconds * 1000))
    }

    /// Whether this program contains the function. A function of another program has to run as a
    /// separate process.
    static func has(_ function: String) -> Bool {
        function == "authorizer"
            || Contract.all.contains { !$0.endpoints(of: function).isEmpty }
    }

    /// Runs a function with a shifted clock, once or several times; returns the exit status of the
    /// last run.
    func run(
        _ function: String, event: String, clockMilliseconds: Int64, times: Int64
    ) -> Int32 {
        CryptographyLibrary.start()
        let system = StandardStreams.system
        let streams = StandardStreams(
            readInput: { _ throws(StandardStreams.ReadFailure) in Array(event.utf8) },
            writeOutput: system.writeOutput, writeError: system.writeError,
            inputIsTerminal: { false })
        let host = FunctionHost(
            name: function, summary: "", version: LatchkeyFunction.version,
            environment: environment, streams: streams, newRequestID: { "shifted" },
            sleep: { _ in }, setTraceID: { _ in })
        let shift = Span(milliseconds: clockMilliseconds)
        let start: FunctionHost.Start = { variables, _ throws(StartFailure) in
            let assembly = Assembly(
                environment: variables, clock: WallClock { WallClock.system.now() + shift },
                random: .system, transport: transport, sleep: pause, sharedFolder: "/tmp")
            let log = Log(level: .info, write: system.writeError)
            if function == "authorizer" {
                return try LatchkeyFunction.authorizerHandler(assembly, log)
            }
            return try LatchkeyFunction.handler(of: function, assembly, log)
        }
        var status: Int32 = 0
        for _ in 0..<times { status = host.run([], transport: { transport }, start: start) }
        return status
    }

    /// Makes an administrator's change to an account.
    func change(account text: String, _ change: String) throws {
        let store = try Assembly(
            environment: environment, clock: .system, random: .system, transport: transport,
            sleep: pause, sharedFolder: "/tmp"
        ).store()
        guard let id = UserID(parsing: text), let item = try store.get(StoreLayout.profile(id))
        else { throw Failure(description: "there is no account \(text)") }
        let user = try UserRecord.user(item, id: id)
        let writes: [Write]
        switch change {
        case "disabled": writes = [UserRecord.replacing(user) { $0.isDisabled = true }]
        case "administrator":
            writes = [
                UserRecord.replacing(user) { $0.adminRole = .administrator },
                .put(Item(StoreLayout.roleHolder(id), [:]), when: []),
            ]
        default: throw Failure(description: "no account can be set \(change)")
        }
        try store.write(writes)
    }
}
