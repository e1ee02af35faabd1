package import SQLite

/// Why something could not be kept or found again.
package enum StorageFailure: Error, Sendable, Equatable {
    case database(SQLiteError)
    /// By its `errno`.
    case files(Int32)
    /// What was read back is not what is ever written.
    case damaged
}
