internal import AuthComposition
internal import FunctionRuntime
internal import KeyValueStore
internal import StoreTransfer

extension OperatorCommand {
    /// `latchkey backup`
    static let backup = OperatorCommand(
        CommandShape(
            name: "backup", operands: ["FILE"],
            summary: "Save the store and its keys to a new file.",
            details: """
                The server may run meanwhile: FILE has everything as it was at one moment. It also
                has the master key and the hash of the administrator's password, if they are files
                beside the database: whoever has it can sign in as anyone. It is readable by its
                owner only, and appears when it is complete. A store in DynamoDB has
                point-in-time recovery instead.
                """, flags: [withoutKeys])
    ) { arguments, assembly throws(CommandFailure) in
        let path = arguments.operands[0]
        let settings = try starting { () throws(StartFailure) in
            let settings = try assembly.operatorSettings()
            try settings.requireStore()
            return settings
        }
        try settings.requireRestorableStore()
        let keys = try KeysOfBackup(settings, isWithout: arguments.has(withoutKeys.name))
        let store = try starting { () throws(StartFailure) in
            let store = try assembly.store()
            try settings.requireMasterKey(of: store)
            return store
        }
        guard let store = store as? any SnapshotStore else {
            throw CommandFailure("STORE: only SQLite and PostgreSQL can be saved")
        }
        let file = try PrivateFile(path)
        var failure: CommandFailure?
        var progress = TransferProgress("saved")
        let count: Int
        do throws(TransferFailure) {
            count = try StoreExport(store).run(keys.header, progress: { progress.show($0) }) {
                bytes throws(TransferFailure) in
                do throws(CommandFailure) {
                    try file.write(bytes)
                } catch {
                    failure = error
                    throw .unwritableOutput
                }
            }
        } catch {
            throw failure ?? CommandFailure(error.explanation)
        }
        try file.finish()
        Terminal.say("latchkey: \(keys.report("saved", count, to: path))")
        return 0
    }
}

extension OperatorSettings {
    func requireRestorableStore() throws(CommandFailure) {
        switch store {
        case .sqlite, .postgreSQL: return
        case .memory: throw CommandFailure("STORE: a memory store cannot be saved or restored")
        case .dynamoDB:
            throw CommandFailure(
                "STORE: use the point-in-time recovery of DynamoDB, or latchkey export and import "
                    + "(docs/operating.md)")
        }
    }
}
