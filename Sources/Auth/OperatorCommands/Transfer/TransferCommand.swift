internal import AuthComposition
internal import FunctionRuntime
internal import KeyValueStore
internal import StoreTransfer

// `latchkey export` and `latchkey import` move all items from one store to another, through
// standard output and standard input (docs/operating.md).
extension OperatorCommand {
    static let withoutKeys = Flag(
        "--without-keys", nil,
        "Leave out the master key and the hash of the administrator's\npassword.")
    static let keysTo = Flag(
        "--keys-to", "FOLDER",
        "Write the master key and the hash of the administrator's\n"
            + "password to files in FOLDER, for settings.")

    static let export = OperatorCommand(
        CommandShape(
            name: "export", summary: "Write the store and its keys to standard output.",
            details: """
                latchkey import reads it into a store of another kind. Stop the server first: what
                it writes later is not moved. Whoever has the output can sign in as anyone.
                """, flags: [withoutKeys])
    ) { arguments, assembly throws(CommandFailure) in
        let settings = try starting { () throws(StartFailure) in
            let settings = try assembly.operatorSettings()
            try settings.requireStore()
            return settings
        }
        let keys = try KeysOfBackup(settings, isWithout: arguments.has(withoutKeys.name))
        let store = try scannableStore(assembly)
        try starting { () throws(StartFailure) in try settings.requireMasterKey(of: store) }
        var progress = TransferProgress("exported")
        let count = try transferring { () throws(TransferFailure) in
            try StoreExport(store).run(keys.header, progress: { progress.show($0) }) {
                bytes throws(TransferFailure) in
                guard Descriptor.writeAll(bytes, to: 1) else { throw .unwritableOutput }
            }
        }
        Terminal.say("latchkey: \(keys.report("exported", count, to: "standard output"))")
        return 0
    }

    static let importing = OperatorCommand(
        CommandShape(
            name: "import", summary: "Read an export from standard input into an empty store.",
            flags: [Flag("--continue", nil, "Resume an unfinished import."), keysTo])
    ) { arguments, assembly throws(CommandFailure) in
        var lines = LineReader(descriptor: 0, bytesMax: ExportReader.lineBytesMax)
        let export = try transferring { () throws(TransferFailure) in
            try ExportReader { () throws(TransferFailure) in try lines.next() }
        }
        let settings = try starting { () throws(StartFailure) in
            try assembly.operatorSettings()
        }
        let keys = try KeyPlacement(
            export.header, in: settings, keysTo: arguments.text(keysTo.name), replacing: false)
        let files = [keys.masterKey, keys.administrator].compactMap(\.self)
        for file in files { try file.write() }
        let store = try scannableStore(assembly)
        var progress = TransferProgress("imported")
        let counts = try transferring { () throws(TransferFailure) in
            try StoreImport(into: store, clock: assembly.clock, pause: assembly.sleep)
                .run(export, continues: arguments.has("--continue")) { progress.show($0) }
        }
        Terminal.say(
            "latchkey: imported \(counts.written) items, \(counts.present) already present, "
                + "\(counts.expired) expired; the count and the checksum match")
        for line in keys.notes + files.map(\.report) { Terminal.say("latchkey: \(line)") }
        return 0
    }

    private static func scannableStore(
        _ assembly: Assembly
    ) throws(CommandFailure) -> any ScannableStore {
        let store = try starting { () throws(StartFailure) in try assembly.store() }
        guard let store = store as? any ScannableStore else {
            throw CommandFailure("STORE: a memory store cannot be exported or imported")
        }
        return store
    }
}
