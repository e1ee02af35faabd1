internal import Cryptography
package import EmulatorBase
internal import EmulatorReplay
internal import HTTPClient
internal import KeyValueStore
package import PostgreSQL
internal import PostgreSQLStore
internal import Time

/// `--store`: the functions' own store instead of the emulator's DynamoDB. It is not part of the
/// emulator's state.
package enum FunctionStore: Sendable {
    case sqlite(path: String)
    case postgreSQL(url: String, PostgreSQLAddress)

    static let variable = "STORE"

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
    var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgreSQL(_, let address): "postgres:\(address.place), table \(address.table)"
        }
    }

    /// The variables that override `given`, the environment of a function; none if it has no store.
    func variables(
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
    func prepare() throws {
        guard case .postgreSQL(_, let address) = self else { return }
        let trust = CertificateTrust { EnvironmentVariables.variable($0) }
        let store = PostgreSQLStore(
            address, clock: .system, random: .system,
            authorities: { try? trust.certificates().file }, pause: { _ in })
        do throws(StoreFailure) {
            try store.migrate()
        } catch {
            switch error {
            case .unavailable(let detail), .refused(let detail), .unreadable(let detail):
                throw CommandFailure("--store: \(detail)")
            case .conditionFailed: throw CommandFailure("--store: the table cannot be created")
            }
        }
    }
}
