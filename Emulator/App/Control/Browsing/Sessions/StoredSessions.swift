internal import Cryptography
internal import EmulatorBase
internal import HTTPClient
internal import KeyValueStore
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLiteStore
internal import Time

/// Sessions in the functions' own store, set with `--store`.
struct StoredSessions: SessionReading {
    typealias Rows = (items: [Item], next: ItemKey?)

    private let store: any KeyValueStore
    private let scan: @Sendable (_ after: ItemKey?, _ limit: Int) throws(StoreFailure) -> Rows

    private static let rowsPerRead = 1000
    /// Readers wait for a process that recovers the file after a crash, but not for writers.
    private static let lockWaitMillisecondsMax = 1000

    init(_ address: PostgreSQLAddress) {
        let trust = CertificateTrust { EnvironmentVariables.variable($0) }
        let store = PostgreSQLStore(
            address, clock: .system, random: .system,
            authorities: { try? trust.certificates().file }, pause: { _ in })
        self.store = store
        scan = { after, limit throws(StoreFailure) in try store.scan(after: after, limit: limit) }
    }

    /// The file must exist: opening a missing file would create it.
    init(sqliteFile path: String) throws(StoreFailure) {
        let store = try SQLiteStore(
            path: path, clock: .system, lockWaitMillisecondsMax: Self.lockWaitMillisecondsMax)
        self.store = store
        scan = { after, limit throws(StoreFailure) in try store.scan(after: after, limit: limit) }
    }

    /// The rows are in the order of their keys, so the rows of an account are together.
    func page(
        after key: ItemKey?, limit: Int
    ) throws(BrowsingFailure) -> (items: [Item], next: ItemKey?) {
        let start = key ?? ItemKey(SessionItem.userPrefix, "")
        let (rows, next) = try reading { () throws(StoreFailure) in
            try scan(start, Self.rowsPerRead)
        }
        let isOver = rows.last.map { !$0.key.isOfAccount } ?? true
        let found = rows.filter { SessionItem.ids($0.key) != nil }
        if found.count > limit { return (Array(found.prefix(limit)), found[limit - 1].key) }
        return (found, isOver ? nil : next)
    }

    func item(_ key: ItemKey) throws(BrowsingFailure) -> Item? {
        try reading { () throws(StoreFailure) in try store.get(key) }
    }

    private func reading<Result>(
        _ body: () throws(StoreFailure) -> Result
    ) throws(BrowsingFailure) -> Result {
        do throws(StoreFailure) {
            return try body()
        } catch {
            switch error {
            case .unavailable(let detail), .refused(let detail), .unreadable(let detail):
                throw BrowsingFailure(502, detail)
            case .conditionFailed: throw BrowsingFailure(502, "the store cannot be read")
            }
        }
    }
}

/// A source without sessions, for a file that no function has created yet.
struct NoSessions: SessionReading {
    func page(
        after key: ItemKey?, limit: Int
    ) throws(BrowsingFailure) -> (items: [Item], next: ItemKey?) { ([], nil) }

    func item(_ key: ItemKey) throws(BrowsingFailure) -> Item? { nil }
}

extension ItemKey {
    fileprivate var isOfAccount: Bool { partition.utf8.starts(with: SessionItem.userPrefix.utf8) }
}
