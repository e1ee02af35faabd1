internal import Bytes
internal import FunctionRuntime
internal import PostgreSQL

/// `STORE`: where the state is stored.
enum StoreSettings: Sendable {
    case memory
    case sqlite(path: String)
    case dynamoDB(table: String)
    case postgreSQL(PostgreSQLAddress, connectionsMax: Int)

    /// There are fewer connections than workers of `--listen`, because a worker does not use the
    /// store all the time, and fewer than a tenth of the default limit of a PostgreSQL server.
    private static let connectionsMaxDefault: Int64 = 8

    var isInAWS: Bool {
        if case .dynamoDB = self { true } else { false }
    }

    /// The name of a store that several machines can share, which therefore needs configured keys
    /// and an issuer; nil for a local store.
    var sharedName: String? {
        switch self {
        case .dynamoDB: "DynamoDB"
        case .postgreSQL: "PostgreSQL"
        case .memory, .sqlite: nil
        }
    }

    /// The name in metrics.
    var name: String {
        switch self {
        case .memory: "memory"
        case .sqlite: "sqlite"
        case .dynamoDB: "dynamodb"
        case .postgreSQL: "postgresql"
        }
    }

    /// The default store needs only a writable directory.
    static let standard = StoreSettings.sqlite(path: "latchkey.db")

    static func read(_ reader: inout SettingsReader) -> StoreSettings {
        guard let raw = reader.text("STORE") else { return standard }
        if raw.isSame(as: "memory:") { return .memory }
        if let path = raw.dropping("sqlite:"), !path.isEmpty { return .sqlite(path: path) }
        if let table = raw.dropping("dynamodb:"), isTableName(table) {
            return .dynamoDB(table: table)
        }
        if PostgreSQLAddress.hasScheme(raw) {
            let connectionsMax = reader.integer("STORE_CONNECTIONS", 1...256)
            guard let address = postgreSQL(raw, &reader) else { return standard }
            return .postgreSQL(
                address, connectionsMax: Int(connectionsMax ?? connectionsMaxDefault))
        }
        reader.refuse(
            "STORE must be sqlite:PATH, postgres://USER@HOST/DATABASE, dynamodb:TABLE or memory:")
        return standard
    }

    private static func postgreSQL(_ url: String, _ reader: inout SettingsReader)
        -> PostgreSQLAddress?
    {
        do throws(PostgreSQLAddress.Problem) {
            var address = try PostgreSQLAddress(url: url)
            if let password = reader.secret("STORE_PASSWORD") { address.password = password }
            return address
        } catch {
            reader.refuse("STORE \(error.rule)")
            return nil
        }
    }

    private static func isTableName(_ text: String) -> Bool {
        (3...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || "_.-".utf8.contains(byte)
            }
    }
}

extension PostgreSQLAddress.Problem {
    fileprivate var rule: String {
        switch self {
        case .malformed: "must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE"
        case .noUser: "must name the user, as in postgres://USER@HOST/DATABASE"
        case .noDatabase: "must name the database, as in postgres://USER@HOST/DATABASE"
        case .unknownParameter:
            "may have the parameters sslmode, sslrootcert, sslcert, sslkey, host and table"
        case .tlsMode: "must have sslmode=verify-full, verify-ca, require or disable"
        case .tableName: "must have a table of at most 48 letters a-z, digits and _"
        }
    }
}
