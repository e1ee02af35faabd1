internal import AuthComposition
internal import AuthDomain
internal import AuthRecords
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import Glibc
internal import HTTPClient
internal import KeyValueStore
internal import SQLiteStore
internal import Time

/// What a fixture wants to have happened, done by the functions' own code to their own files.
struct FixtureStep {
    let environment: Environment

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The executables and what each serves: their `main.swift` files.
    private static let served: [(name: String, operations: [Operation])] = [
        ("challenge", [.challenge]), ("signin", [.signIn]), ("refresh", [.refresh]),
        ("signout", [.signOut]), ("me", [.me]), ("sessions", [.listSessions, .revokeSession]),
        ("credentials", [.credentials]), ("keys", [.keySet, .discovery]), ("authorizer", []),
    ]

    static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

    /// Runs of a function at another time; returns the exit status of the last.
    func run(
        _ function: String, event: String, clockMilliseconds: Int64, times: Int64
    ) -> Int32 {
        guard let operations = Self.served.first(where: { $0.name == function })?.operations else {
            _ = Descriptor.writeAll(Array("there is no function \(function)\n".utf8), to: 2)
            return 64
        }
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
        let transport = CurlTransport(trust: CertificateTrust(variable: { _ in nil })).transport
        let shift = Span(milliseconds: clockMilliseconds)
        let start = { (variables: Environment) throws(StartFailure) -> Handler in
            let assembly = Assembly(
                environment: variables, clock: WallClock { WallClock.system.now() + shift },
                random: .system, transport: transport, sleep: { _ in })
            let log = Log(level: .info, write: system.writeError)
            guard !operations.isEmpty else {
                return try LatchkeyFunction.authorizerHandler(assembly, log)
            }
            return try LatchkeyFunction.handler(
                of: function, serving: operations, assembly, log)
        }
        var status: Int32 = 0
        for _ in 0..<times { status = host.run([], transport: { transport }, start: start) }
        return status
    }

    /// What an administrator would do to an account.
    func change(account text: String, _ change: String) throws {
        let prefix = "sqlite:"
        guard let setting = environment["STORE"], setting.hasPrefix(prefix) else {
            throw Failure(description: "STORE is no file")
        }
        let path = String(setting.dropFirst(prefix.count))
        let store = try SQLiteStore(path: path, clock: .system)
        guard let id = UserID(parsing: text), let item = try store.get(StoreLayout.profile(id))
        else { throw Failure(description: "there is no account \(text)") }
        let user = try UserRecord.user(item, id: id)
        let write: Write
        switch change {
        case "disabled": write = UserRecord.replacing(user) { $0.isDisabled = true }
        case "administrator": write = UserRecord.replacing(user) { $0.isAdmin = true }
        default: throw Failure(description: "no account can be set \(change)")
        }
        try store.write([write])
    }
}
