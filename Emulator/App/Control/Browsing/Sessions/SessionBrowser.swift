internal import Bytes
internal import JSON
internal import KeyValueStore
internal import Time

/// The sessions of Latchkey's functions in all their stores, one store after another.
struct SessionBrowser: Sendable {
    private let stores: [(store: SessionStore, reader: (any SessionReading)?)]
    private let now: Instant

    private static let list = "sessions"
    /// A store may have many rows and few sessions: a page ends after so many reads, with a `next`.
    private static let readsMax = 16

    init(_ services: EmulatorServices) {
        stores = SessionStore.all(services).map { ($0, $0.reader(services.tables)) }
        now = services.systemTime
    }

    func sessions(_ page: PageRequest) throws(BrowsingFailure) -> JSON {
        var (index, after) = try start(page.cursor)
        var sessions: [JSON] = []
        var unreadable = 0
        var reads = 0
        while index < stores.count, sessions.count < page.limit, reads < Self.readsMax {
            guard let reader = stores[index].reader else {
                (index, after) = (index + 1, nil)
                continue
            }
            reads += 1
            let found = try reader.page(after: after, limit: page.limit - sessions.count)
            var accounts: [String: AccountItem?] = [:]
            for item in found.items {
                guard let session = SessionItem(item) else {
                    unreadable += 1
                    continue
                }
                if accounts[session.user] == nil {
                    accounts[session.user] = .some(try Self.account(session.user, in: reader))
                }
                sessions.append(json(session, accounts[session.user] ?? nil, stores[index].store))
            }
            after = found.next
            if after == nil { index += 1 }
        }
        // Unreadable stores have no next page.
        while index < stores.count, stores[index].reader == nil { index += 1 }
        var answer: JSONObject = [
            "sessions": .array(sessions),
            "stores": .array(
                stores.map { store, reader in
                    ["name": .string(store.name), "isReadable": .bool(reader != nil)]
                }),
        ]
        if unreadable > 0 { answer["unreadable"] = .number(unreadable) }
        if index < stores.count {
            let key = [stores[index].store.name, after?.partition ?? "", after?.sort ?? ""]
            answer["next"] = .string(PageCursor.text(of: Self.list, after: key))
        }
        return .object(answer)
    }

    /// The store and the key after which to continue.
    private func start(
        _ cursor: String?
    ) throws(BrowsingFailure) -> (index: Int, after: ItemKey?) {
        guard let cursor else { return (0, nil) }
        let parts = try PageCursor.key(cursor, of: Self.list, parts: 3)
        guard let index = stores.firstIndex(where: { $0.store.name.isSame(as: parts[0]) }) else {
            throw PageCursor.refusal
        }
        return (index, parts[1].isEmpty ? nil : ItemKey(parts[1], parts[2]))
    }

    private static func account(
        _ user: String, in reader: any SessionReading
    ) throws(BrowsingFailure) -> AccountItem? {
        try reader.item(AccountItem.key(of: user)).map(AccountItem.init)
    }

    private func json(
        _ session: SessionItem, _ account: AccountItem?, _ store: SessionStore
    ) -> JSON {
        var object: JSONObject = [
            "user": .string(session.user), "family": .string(session.family),
            "state": .string(SessionState(session, account, at: now).rawValue),
            "provider": .string(session.provider),
        ]
        object["device"] = session.deviceName.map { .string($0) }
        object["generation"] = .number(session.generation)
        object["createdAt"] = .string(session.createdAt.iso8601Milliseconds)
        object["lastUsedAt"] = .string(session.lastUsedAt.iso8601Milliseconds)
        object["expiresAt"] = .string(session.expiresAt.iso8601Milliseconds)
        object["graceLeftMilliseconds"] = session.graceLeft(store.grace, at: now)
            .map { .number($0.milliseconds) }
        object["isBoundToKey"] = .bool(session.isBoundToKey)
        object["store"] = .string(store.name)
        return .object(object)
    }

    /// A session by its IDs, from the store that contains it.
    func find(
        user: String, family: String
    ) throws(BrowsingFailure) -> (session: SessionItem, state: SessionState, grace: Span?)? {
        for (store, reader) in stores {
            guard let reader,
                let item = try reader.item(SessionItem.key(user: user, family: family)),
                let session = SessionItem(item)
            else { continue }
            let account = try Self.account(user, in: reader)
            return (session, SessionState(session, account, at: now), store.grace)
        }
        return nil
    }

    /// Whether any store can be read.
    var canLook: Bool { stores.contains { $0.reader != nil } }
}
