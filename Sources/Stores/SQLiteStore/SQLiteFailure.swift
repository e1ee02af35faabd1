internal import KeyValueStore
internal import SQLite

/// Maps SQLite's errors to `StoreFailure`. A message has the file and the code, never a statement's
/// values.
struct SQLiteFailure {
    let path: String
    let lockWaitMillisecondsMax: Int

    func failure(_ error: SQLiteError) -> StoreFailure {
        switch error.kind {
        case .locked:
            .unavailable(
                detail: describe(error, "locked for more than \(lockWaitMillisecondsMax) ms"))
        case .diskFull: .unavailable(detail: describe(error, "the disk is full"))
        case .interrupted: .unavailable(detail: describe(error, interruption(error)))
        case .readOnly:
            .refused(detail: describe(error, "the file or its directory is read-only"))
        case .cannotOpen:
            .refused(
                detail: describe(
                    error, "cannot be opened; does its directory exist, and is it writable?"))
        case .damaged: .unreadable(detail: describe(error, "the file is damaged"))
        case .notADatabase:
            .unreadable(detail: describe(error, "the file is not an SQLite database"))
        case .wrongColumnType: unreadable("a stored row has a column of the wrong type")
        case .other: .refused(detail: describe(error, error.text))
        }
    }

    private func interruption(_ error: SQLiteError) -> String {
        switch error.failedStep {
        case .growingIndex: "no space for \(path)-shm: is the disk full?"
        case .openingIndex: "\(path)-shm cannot be opened"
        case .mappingIndex: "\(path)-shm cannot be mapped into memory"
        case .reading: "the disk could not be read"
        case .writing: "the disk could not be written; is it full?"
        case .locking: "the file could not be locked; does its file system support locks?"
        case nil: error.text
        }
    }

    func refused(_ reason: String) -> StoreFailure { .refused(detail: "sqlite:\(path): \(reason)") }

    func unreadable(_ reason: String) -> StoreFailure {
        .unreadable(detail: "sqlite:\(path): \(reason)")
    }

    private func describe(_ error: SQLiteError, _ reason: String) -> String {
        "sqlite:\(path): \(reason) (code \(error.code))"
    }
}
