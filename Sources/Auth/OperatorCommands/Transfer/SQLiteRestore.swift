internal import AuthComposition
internal import Glibc
internal import KeyValueStore
internal import SQLite
internal import SQLiteStore
internal import StoreTransfer
internal import Time

/// Restores an SQLite database: a new file is written beside the old one, and renamed when it is
/// complete.
///
/// A server does not start if the key of its database is missing. So the key is moved away first
/// and written last, and no server can start in between.
struct SQLiteRestore {
    private static let filling = ".restoring"
    /// The endings of the files beside a database.
    private static let endings = ["-wal", "-shm", "-lock"]

    private let path: String
    private let keys: KeyPlacement
    private let assembly: Assembly
    private let new: String

    init(path: String, _ keys: KeyPlacement, _ assembly: Assembly) {
        self.path = path
        self.keys = keys
        self.assembly = assembly
        new = path + Self.filling
    }

    /// Returns the report.
    func run(_ backup: BackupFile, replacing: Bool) throws(CommandFailure) -> String {
        let exists = access(path, F_OK) == 0
        guard !exists || replacing else { throw OperatorCommand.notEmpty(path) }
        if exists { try requireUnused() }
        removeNew()
        defer { removeNew() }
        let counts = try fill(from: backup)
        let kept = try moveKeysAway(exists)
        try keys.administrator?.write()
        // These files may belong to a former database that was removed or is damaged. Its log would
        // be written into the new database.
        for ending in Self.endings { unlink(path + ending) }
        guard rename(new, path) == 0 else { throw failure(path) }
        syncFolder(of: path)
        try keys.masterKey?.write()
        let note = kept.isEmpty ? "" : "; the former files are \(kept.joined(separator: ", "))"
        return OperatorCommand.restored(counts.written, expired: counts.expired) + " to \(path)"
            + note
    }

    private func fill(from backup: BackupFile) throws(CommandFailure) -> StoreImport.Counts {
        let export = try backup.reader()
        var progress = TransferProgress("restored")
        let counts = try transferring { () throws(TransferFailure) in
            let store: SQLiteStore
            do throws(StoreFailure) {
                // One sync at the end is enough.
                store = try SQLiteStore(path: new, clock: assembly.clock, sync: { _ in 0 })
            } catch {
                throw .store(error)
            }
            return try StoreImport(into: store, clock: assembly.clock, pause: assembly.sleep)
                .run(export, continues: false) { progress.show($0) }
        }
        // The last connection is closed now, and closing it has written the log into the file.
        let descriptor = open(new, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw failure(new) }
        close(descriptor)
        guard access(new + "-wal", F_OK) != 0 else {
            throw CommandFailure("\(new): the log could not be written into the file")
        }
        giveToOwnerOfFolder(new)
        return counts
    }

    /// The change from write-ahead logging requires exclusive access to the file, and removes the
    /// log.
    private func requireUnused() throws(CommandFailure) {
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(file: path)
            try database.execute("PRAGMA journal_mode = DELETE")
            try database.execute("PRAGMA journal_mode = WAL")
        } catch {
            switch error.kind {
            // A damaged database may be replaced: that is the reason for the restore.
            case .damaged, .notADatabase: return
            case .locked:
                throw CommandFailure(
                    "\(path) is in use: stop the server first. Nothing was changed")
            default: throw CommandFailure("\(path): \(error.text). Nothing was changed")
            }
        }
    }

    /// Gives the former files a second name, and returns these names. The database also keeps its
    /// own name until the new one replaces it.
    private func moveKeysAway(_ exists: Bool) throws(CommandFailure) -> [String] {
        guard exists else { return [] }
        let moment = ".before-" + assembly.clock.now().text("%Y-%m-%d-%H%M%S")
        // Two restores may occur in the same second.
        let marks = (1...Self.restoresOfASecondMax).lazy.map {
            $0 == 1 ? moment : "\(moment)-\($0)"
        }
        let mark = marks.first { access(path + $0, F_OK) != 0 } ?? moment
        var kept: [String] = []
        func keep(_ file: String, removing: Bool) throws(CommandFailure) {
            guard access(file, F_OK) == 0 else { return }
            guard link(file, file + mark) == 0, !removing || unlink(file) == 0 else {
                throw failure(file)
            }
            kept.append(file + mark)
        }
        if let file = keys.masterKey, file.setting == nil { try keep(file.path, removing: true) }
        try keep(path, removing: false)
        try keep(path + "-wal", removing: false)
        if let file = keys.administrator, file.setting == nil {
            try keep(file.path, removing: false)
        }
        return kept
    }

    private static let restoresOfASecondMax = 100

    private func removeNew() {
        for ending in [""] + Self.endings { unlink(new + ending) }
    }

    private func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(errno)))")
    }
}
