package import Cryptography
internal import KeyValueStore
internal import PostgreSQL
internal import PostgreSQLStore
internal import Synchronization
package import Time

/// A PostgreSQL in which each replayed fixture has its own table, a copy of a migrated one.
package final class PostgreSQLReplayTables: ReplayTables {
    package let storeName = "postgresql"

    private let url: String
    private let place: String
    private let template: String
    private let connection: Mutex<PostgreSQLConnection>

    private static let millisecondsMax: Int64 = 20_000

    static func canOpen(_ store: String) -> Bool { PostgreSQLAddress.hasScheme(store) }

    /// - Parameter url: the value of `STORE`; its user must be allowed to create tables.
    package init(
        at url: String, authorities: @escaping @Sendable () -> String?, clock: WallClock,
        random: RandomSource
    ) throws(FixtureFailure) {
        self.url = url
        template = "replay_\(random.bytes(8).reduce(into: "") { $0 += String($1, radix: 16) })"
        let address: PostgreSQLAddress
        do throws(PostgreSQLAddress.Problem) {
            address = try PostgreSQLAddress(url: Self.url(url, table: template))
        } catch {
            throw FixtureFailure("--store is not a PostgreSQL URL: \(error.reason)")
        }
        place = address.place
        try address.createTable(authorities: authorities, clock: clock, random: random)
        do throws(PostgreSQLError) {
            connection = Mutex(
                try PostgreSQLConnection(
                    address, authorities: address.needsAuthorities ? authorities() : nil,
                    until: .after(milliseconds: Self.millisecondsMax)))
        } catch {
            throw FixtureFailure("\(address.place): \(error.reason)")
        }
    }

    package func placeholders(of table: String) -> [(name: String, value: String)] {
        [("postgresql", Self.url(url, table: table)), ("table", table)]
    }

    package func create(_ table: String) throws(FixtureFailure) {
        do throws(PostgreSQLError) {
            // The table is unlogged, because it is dropped within seconds.
            try run(
                "CREATE UNLOGGED TABLE \(table) (LIKE \(template) INCLUDING ALL)",
                "INSERT INTO \(table) SELECT * FROM \(template)")
        } catch {
            throw FixtureFailure("no table can be created at \(place): \(error.reason)")
        }
    }

    package func copy(_ table: String, to other: String) throws(FixtureFailure) {
        do throws(PostgreSQLError) {
            try run("DELETE FROM \(other)", "INSERT INTO \(other) SELECT * FROM \(table)")
        } catch {
            throw FixtureFailure("no table can be copied at \(place): \(error.reason)")
        }
    }

    package func delete(_ table: String) {
        _ = try? run("DROP TABLE IF EXISTS \(table)")
    }

    package func stop() { delete(template) }

    private func run(_ statements: String...) throws(PostgreSQLError) {
        try connection.withLock { connection throws(PostgreSQLError) in
            _ = try connection.run(
                statements.map { PostgreSQLStatement($0) },
                until: .after(milliseconds: Self.millisecondsMax))
        }
    }

    /// If a parameter is repeated, the last one counts.
    private static func url(_ url: String, table: String) -> String {
        url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "table=\(table)"
    }
}

extension PostgreSQLAddress {
    func createTable(
        authorities: @escaping @Sendable () -> String?, clock: WallClock, random: RandomSource
    ) throws(FixtureFailure) {
        let store = PostgreSQLStore(
            self, clock: clock, random: random, authorities: authorities, pause: { _ in })
        do throws(StoreFailure) {
            try store.migrate()
        } catch {
            switch error {
            case .unavailable(let detail), .refused(let detail), .unreadable(let detail):
                throw FixtureFailure(detail)
            case .conditionFailed: throw FixtureFailure("\(place): the table cannot be created")
            }
        }
    }
}
