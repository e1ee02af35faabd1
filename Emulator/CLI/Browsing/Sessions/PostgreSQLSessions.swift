internal import Cryptography
internal import HTTPClient
internal import KeyValueStore
internal import PostgreSQL
internal import PostgreSQLStore
internal import Time

/// Sessions in PostgreSQL, with `--store`.
struct PostgreSQLSessions: SessionReading {
    private let store: PostgreSQLStore
    private static let rowsPerRead = 1000

    init(_ address: PostgreSQLAddress) {
        let trust = CertificateTrust { EnvironmentVariables.variable($0) }
        store = PostgreSQLStore(
            address, clock: .system, random: .system,
            authorities: { try? trust.certificates().file }, pause: { _ in })
    }

    /// The rows are in the order of their keys: those of accounts are together.
    func page(
        after key: ItemKey?, limit: Int
    ) throws(BrowsingFailure) -> (items: [Item], next: ItemKey?) {
        let start = key ?? ItemKey(SessionItem.userPrefix, "")
        let (rows, next) = try reading { store throws(StoreFailure) in
            try store.scan(after: start, limit: Self.rowsPerRead)
        }
        let isOver = rows.last.map { !$0.key.isOfAccount } ?? true
        let found = rows.filter { SessionItem.ids($0.key) != nil }
        if found.count > limit { return (Array(found.prefix(limit)), found[limit - 1].key) }
        return (found, isOver ? nil : next)
    }

    func item(_ key: ItemKey) throws(BrowsingFailure) -> Item? {
        try reading { store throws(StoreFailure) in try store.get(key) }
    }

    private func reading<Result>(
        _ body: (PostgreSQLStore) throws(StoreFailure) -> Result
    ) throws(BrowsingFailure) -> Result {
        do throws(StoreFailure) {
            return try body(store)
        } catch {
            switch error {
            case .unavailable(let detail), .invalid(let detail): throw BrowsingFailure(502, detail)
            case .conditionFailed: throw BrowsingFailure(502, "the store cannot be read")
            }
        }
    }
}

extension ItemKey {
    fileprivate var isOfAccount: Bool { partition.utf8.starts(with: SessionItem.userPrefix.utf8) }
}
