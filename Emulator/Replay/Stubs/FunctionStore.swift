internal import Cryptography
package import EmulatorBase
package import PostgreSQL
internal import Time

/// `--store`: the functions' own store instead of the emulator's DynamoDB. It is not part of the
/// emulator's state.
package enum FunctionStore: Sendable {
    case sqlite(path: String)
    case postgreSQL(url: String, PostgreSQLAddress)

    package static let variable = "STORE"

    package init(_ text: String) throws(UsageError) {
        if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: Files.absolute(String(text.dropFirst(7))))
            return
        }
        guard PostgreSQLAddress.hasScheme(text) else {
            throw UsageError(
                description: "--store must be sqlite:PATH or postgres://USER@HOST/DATABASE")
        }
        do throws(PostgreSQLAddress.Problem) {
            self = .postgreSQL(url: text, try PostgreSQLAddress(url: text))
        } catch {
            throw UsageError(description: "--store is not a PostgreSQL URL: \(error.reason)")
        }
    }

    /// The store's URL without its password.
    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgreSQL(_, let address): "postgres:\(address.place), table \(address.table)"
        }
    }

    /// The variables that override `given`, the environment of a function; none if it has no store.
    package func variables(
        over given: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        guard given.contains(where: { $0.name == Self.variable }) else { return [] }
        switch self {
        case .sqlite(let path):
            // A template gives `MASTER_KEY` to some functions only. With SQLite all of them use
            // `PATH.key` beside the database, so it is unset.
            return [(Self.variable, "sqlite:\(path)"), ("MASTER_KEY", "")]
        case .postgreSQL(let url, _): return [(Self.variable, url)]
        }
    }

    /// Creates the table.
    package func prepare(authorities: @escaping @Sendable () -> String?) throws(CommandFailure) {
        guard case .postgreSQL(_, let address) = self else { return }
        do throws(FixtureFailure) {
            try address.createTable(authorities: authorities, clock: .system, random: .system)
        } catch {
            throw CommandFailure("--store: \(error)")
        }
    }
}
