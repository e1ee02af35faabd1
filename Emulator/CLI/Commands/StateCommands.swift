internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorLambda
internal import HTTP
internal import JSON

// Export, import and reset of the state of a running emulator.
extension Command {
    static let export = Command(
        name: "export", operands: "FILE",
        summary: "Exports all state as JSON lines to a file; - for standard output.",
        details: """
            Exports tables, items, objects, secrets, identity provider accounts and mail. The file
            contains the secrets in plain text, so only its owner can read it. Issued credentials
            are not exported, nor is the store of 'serve --store'. An existing FILE is overwritten.
            The emulator continues to serve: the file may lack changes made meanwhile. Example:

              emulator export before.jsonl
              emulator import --fresh before.jsonl
            """, flags: [url]
    ) { arguments, console in
        let path = try arguments.operands(["FILE"])[0]
        let control = try ControlClient(arguments)
        var progress = Progress(console, "exporting")
        var bytes: [UInt8] = []
        var cursor: String?
        repeat {
            let page = try control.send(.get, "state" + (cursor.map { "?cursor=\($0)" } ?? ""))
            bytes += page.body
            progress.add(records: page.body.count { $0 == UInt8(ascii: "\n") })
            cursor = page.header(StateAPI.cursorHeader)
        } while cursor != nil
        guard path != "-" else {
            Files.writeAll(bytes, to: 1)
            return 0
        }
        try Files.write(bytes, to: path, mode: 0o600)
        progress.finish()
        console.print("\(progress.records) records in \(path)")
        return 0
    }

    static let `import` = Command(
        name: "import", operands: "FILE",
        summary: "Imports an exported file into the existing state; - for standard input.",
        details: """
            Items, objects and secrets of the same key are overwritten, others are kept; with
            --fresh only FILE's records are left. An error names the number of records that were
            imported before it; the import can be repeated. FILE has at most 2 GB.
            """,
        flags: [url, Flag("--fresh", nil, "Delete all existing state first.")]
    ) { arguments, console in
        let path = try arguments.operands(["FILE"])[0]
        let control = try ControlClient(arguments)
        try control.requireChosenEmulator()
        let bytes =
            path == "-"
            ? try Files.readStandardInput(bytesMax: Self.importBytesMax)
            : try Files.read(path, bytesMax: Self.importBytesMax)
        if arguments.has("--fresh") { _ = try control.send(.delete, "state") }
        var progress = Progress(console, "importing")
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Self.lines(of: rest)
            do {
                let answer = try control.ask(.post, "state", lines: Array(part))
                progress.add(records: Int(answer["taken"]?.int64Value ?? 0))
            } catch {
                throw CommandFailure("after \(progress.records) records: \(error)")
            }
            rest = rest[part.endIndex...]
        }
        progress.finish()
        console.print("\(progress.records) records from \(path), for \(try control.identity())")
        return 0
    }

    static let reset = Command(
        name: "reset", operands: "",
        summary: "Deletes all state and recreates what the template declares.",
        details: """
            Tables are empty afterwards, objects, mail, accounts of identity providers and secrets
            are gone; generated secrets get new values. It does not ask, and cannot be undone:
            'emulator export FILE' first, if you need the state again. It refuses the emulator of
            another folder, unless --url or LATCHKEY_EMULATOR_URL names it; so do import,
            expire-now and clock. Prints the template and folder of the emulator.
            """, flags: [url]
    ) { arguments, console in
        _ = try arguments.operands([])
        let control = try ControlClient(arguments)
        try control.requireChosenEmulator()
        _ = try control.send(.delete, "state")
        console.print("all state deleted: \(try control.identity())")
        return 0
    }

    private static let importBytesMax = 2 << 30

    /// Splits the file into pages of whole lines.
    private static func lines(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let aim = bytes.startIndex + StateLimits.pageBytesMax
        guard aim < bytes.endIndex else { return bytes }
        let end = bytes[aim...].firstIndex(of: UInt8(ascii: "\n"))
        return bytes[..<(end.map { $0 + 1 } ?? bytes.endIndex)]
    }
}

extension ControlClient {
    fileprivate func ask(
        _ method: HTTPRequest.Method, _ path: String, lines: [UInt8]
    ) throws -> JSON {
        let response = try send(method, path, lines)
        return (try? JSON.parse(response.body, limits: .event)) ?? .null
    }
}

/// A progress line on a terminal, for operations that take over a second.
struct Progress {
    private let console: Console
    private let verb: String
    private let began = MonotonicClock.nanoseconds
    private var shown: UInt64 = 0
    private(set) var records = 0

    init(_ console: Console, _ verb: String) {
        self.console = console
        self.verb = verb
    }

    mutating func add(records count: Int) {
        records += count
        let now = MonotonicClock.nanoseconds
        guard console.isTerminal, now - began > 1_000_000_000, now - shown > 200_000_000 else {
            return
        }
        shown = now
        Files.writeAll(Array("\r\(verb): \(records) records".utf8), to: 2)
    }

    /// Clears the line.
    func finish() {
        if shown != 0 { Files.writeAll(Array("\r\u{1B}[K".utf8), to: 2) }
    }
}
