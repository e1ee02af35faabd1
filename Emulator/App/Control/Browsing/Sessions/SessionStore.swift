internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorDynamoDB
internal import EmulatorFunctions
internal import HTTPClient
internal import JSON
internal import KeyValueStore
internal import PostgreSQL
internal import Time

/// A store of sessions, and the period in which functions accept a replaced refresh token.
struct SessionStore: Sendable {
    enum Place: Sendable {
        case dynamoDB(table: String)
        case postgreSQL(PostgreSQLAddress)
        case sqlite(path: String)
        /// The setting is not a valid store.
        case unknown
    }

    /// The store's name without its password.
    let name: String
    let place: Place
    /// nil if the settings do not determine it.
    let grace: Span?

    static let dynamoDBPrefix = "dynamodb:"
    private static let sqlitePrefix = "sqlite:"

    /// The stores of the template's functions. Other programs may use the same variable: their
    /// stores do not have the layout of sessions.
    static func all(_ services: EmulatorServices) -> [SessionStore] {
        let users = (services.stack?.definitions ?? []).compactMap { function in
            text(of: function).map { (store: $0, function: function) }
        }
        return users.map(\.store).distinct.map { store in
            let functions = users.filter { $0.store == store }.map(\.function)
            return SessionStore(store, grace: RefreshGrace.of(functions))
        }
    }

    /// Relative paths are relative to the function's code directory, its working directory.
    private static func text(of function: FunctionConfiguration) -> String? {
        guard let text = function.variable(FunctionStore.variable) else { return nil }
        let isRelative =
            text.hasPrefix(sqlitePrefix) && !text.dropFirst(sqlitePrefix.count).hasPrefix("/")
        guard isRelative else { return text }
        return "\(sqlitePrefix)\(function.directory)/\(text.dropFirst(sqlitePrefix.count))"
    }

    private init(_ text: String, grace: Span?) {
        self.grace = grace
        if text.hasPrefix(Self.dynamoDBPrefix) {
            name = text
            place = .dynamoDB(table: String(text.dropFirst(Self.dynamoDBPrefix.count)))
        } else if PostgreSQLAddress.hasScheme(text), let address = try? PostgreSQLAddress(url: text)
        {
            name = "postgres:\(address.place), table \(address.table)"
            place = .postgreSQL(address)
        } else if text.hasPrefix(Self.sqlitePrefix) {
            name = text
            place = .sqlite(path: String(text.dropFirst(Self.sqlitePrefix.count)))
        } else {
            name = "unknown"
            place = .unknown
        }
    }

    /// nil if it cannot be read from here.
    func reader(_ tables: DynamoDBService) -> (any SessionReading)? {
        switch place {
        case .dynamoDB(let table): DynamoDBSessions(TableClient(service: tables), table: table)
        case .postgreSQL(let address): StoredSessions(address)
        case .sqlite(let path):
            Files.exists(path) ? try? StoredSessions(sqliteFile: path) : NoSessions()
        case .unknown: nil
        }
    }
}

/// The items of sessions and of accounts.
protocol SessionReading: Sendable {
    /// At most `limit` session items after a key, and the key after which to continue. A page may
    /// have fewer items, even none, and still have a `next`.
    func page(
        after key: ItemKey?, limit: Int
    ) throws(BrowsingFailure) -> (items: [Item], next: ItemKey?)

    func item(_ key: ItemKey) throws(BrowsingFailure) -> Item?
}

extension FunctionConfiguration {
    /// If a name occurs several times, the process gets the last value.
    func variable(_ name: String) -> String? {
        environment.last { $0.name.isSame(as: name) }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
}

/// The period after a refresh in which the replaced token still gets the same successor. It is not
/// stored with the session, but is a setting of the functions (docs/configuration.md).
enum RefreshGrace {
    static func of(_ functions: [FunctionConfiguration]) -> Span? {
        let texts = functions.compactMap { $0.variable("REFRESH_GRACE_SECONDS") }
        if let text = texts.first {
            return Int64(text).flatMap { (0...300).contains($0) ? .seconds($0) : nil }
        }
        let contract = functions.lazy.compactMap { $0.variable("CONTRACT") }.first ?? "latchkey"
        return switch contract {
        case "latchkey", "whateat", "photolala", "livlogios": .seconds(60)
        case "shell": .zero
        default: nil
        }
    }
}
