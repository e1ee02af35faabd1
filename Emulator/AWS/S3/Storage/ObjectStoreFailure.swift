internal import Glibc
package import SQLite

/// Why something could not be stored or read.
package enum ObjectStoreFailure: Error, Sendable, Equatable {
    case database(SQLiteError)
    /// The `errno` of a file operation.
    case files(Int32)
    /// The stored data is invalid.
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
