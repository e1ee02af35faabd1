internal import Glibc
package import SQLite

/// Why something could not be kept or found again.
package enum ObjectStoreFailure: Error, Sendable, Equatable {
    case database(SQLiteError)
    /// By its `errno`.
    case files(Int32)
    /// What was read back is not what is ever written.
    case damaged

    var isDiskFull: Bool {
        switch self {
        case .database(let error): error.kind == .diskFull
        case .files(let code): code == ENOSPC || code == EDQUOT
        case .damaged: false
        }
    }
}

extension ObjectStoreFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .database(let error): "sqlite: \(error.text) (code \(error.code))"
        case .files(let code): unsafe "s3-content: \(String(cString: strerror(code)))"
        case .damaged: "it is damaged"
        }
    }
}
