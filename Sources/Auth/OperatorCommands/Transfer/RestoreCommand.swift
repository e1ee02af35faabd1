internal import AuthComposition
internal import FunctionRuntime
internal import Glibc
internal import KeyValueStore
internal import PostgreSQLStore
internal import StoreTransfer
internal import Time

extension OperatorCommand {
    private static let replace = Flag(
        "--replace", nil,
        "Replace a store that is not empty. An SQLite database and its\n"
            + "keys are kept under other names.")

    /// `latchkey restore`
    static let restore = OperatorCommand(
        CommandShape(
            name: "restore", operands: ["FILE"],
            summary: "Fill an empty store from a backup.",
            details: """
                Stop the server first. FILE was written by latchkey backup or latchkey export, from
                a store of any kind; it is checked as a whole before anything is written. The store
                gets everything or nothing. A restore revives sessions that have ended since.
                """, flags: [replace, keysTo])
    ) { arguments, assembly throws(CommandFailure) in
        let backup = try BackupFile(arguments.operands[0])
        let settings = try starting { () throws(StartFailure) in
            try assembly.operatorSettings()
        }
        try settings.requireRestorableStore()
        let replacing = arguments.has(replace.name)
        let keys = try KeyPlacement(
            backup.header, in: settings, keysTo: arguments.text(keysTo.name),
            replacing: replacing)
        let report: String
        switch settings.store {
        case .sqlite(let path):
            report = try SQLiteRestore(path: path, keys, assembly).run(
                backup, replacing: replacing)
        default:
            let store = try starting { () throws(StartFailure) in try assembly.store() }
            guard let store = store as? PostgreSQLStore else {
                throw CommandFailure("STORE: only SQLite and PostgreSQL can be restored")
            }
            for file in [keys.masterKey, keys.administrator] { try file?.write() }
            report = try fill(store, backup, replacing: replacing, assembly)
        }
        Terminal.say("latchkey: \(report)")
        for file in [keys.masterKey, keys.administrator].compactMap(\.self) {
            Terminal.say("latchkey: \(file.report)")
        }
        for note in keys.notes { Terminal.say("latchkey: \(note)") }
        return 0
    }

    private static func fill(
        _ store: PostgreSQLStore, _ backup: BackupFile, replacing: Bool, _ assembly: Assembly
    ) throws(CommandFailure) -> String {
        let export = try backup.reader()
        var failure: TransferFailure?
        var isAtEnd = false
        var count = 0
        var progress = TransferProgress("restored")
        let now = assembly.clock.now()
        let outcome = try transferring { () throws(TransferFailure) in
            do throws(StoreFailure) {
                return try store.fill(replacing: replacing) {
                    do throws(TransferFailure) {
                        // All items of a batch may have expired.
                        while !isAtEnd {
                            let batch = try export.nextBatch()
                            isAtEnd = batch.isLast
                            let items = batch.items.filter { $0.exists(at: now) }
                            count += items.count
                            progress.show(count)
                            if !items.isEmpty { return items }
                        }
                        return []
                    } catch {
                        failure = error
                        return nil
                    }
                }
            } catch {
                throw .store(error)
            }
        }
        if let failure { throw CommandFailure(failure.explanation) }
        guard outcome == .filled else { throw notEmpty("the table") }
        return restored(count, expired: export.itemCount - count)
    }

    static func restored(_ count: Int, expired: Int) -> String {
        "restored \(count) items" + (expired == 0 ? "" : " (\(expired) more had expired)")
    }

    static func notEmpty(_ what: String) -> CommandFailure {
        CommandFailure("STORE: \(what) is not empty: nothing was changed; --replace replaces it")
    }
}

/// A backup that was read once up to its end, so that its checksum is verified.
struct BackupFile {
    let header: ExportHeader
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw CommandFailure("\(path): must be a file, because it is read twice")
        }
        let export = try Self.reader(descriptor, path)
        header = export.header
        var progress = TransferProgress("checked")
        do throws(TransferFailure) {
            while try export.next() != nil { progress.show(export.itemCount) }
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// A reader from the beginning. Only one reader can be used at a time.
    func reader() throws(CommandFailure) -> ExportReader {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        return try Self.reader(descriptor, path)
    }

    private static func reader(
        _ descriptor: Int32, _ path: String
    ) throws(CommandFailure) -> ExportReader {
        var lines = LineReader(descriptor: descriptor, bytesMax: ExportReader.lineBytesMax)
        do throws(TransferFailure) {
            return try ExportReader { () throws(TransferFailure) in try lines.next() }
        } catch {
            throw failure(error, path)
        }
    }

    private static func failure(_ failure: TransferFailure, _ path: String) -> CommandFailure {
        let problem =
            switch failure {
            case .unknownFormat: "is not a backup, or is one of a newer version"
            case .incomplete: "is incomplete: its last line is missing"
            case .changed: "is damaged: the count or the checksum is wrong"
            case .malformedLine(let number): "is damaged in line \(number)"
            case .store, .targetNotEmpty, .conflict, .unreadableInput, .unwritableOutput:
                failure.explanation
            }
        return CommandFailure("\(path): \(problem). Nothing was changed")
    }
}
