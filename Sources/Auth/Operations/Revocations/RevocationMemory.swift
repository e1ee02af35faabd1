internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Synchronization
internal import Time

/// The ended sessions, users and clients that this process has read from the store. Each reading
/// adds only the new ones, so that the cost of a list does not grow with the lifetime of access
/// tokens.
package final class RevocationMemory: Sendable {
    private struct State {
        /// The rows in the order of their keys.
        var rows: [Row] = []
        /// When the last reading began; nil: nothing is known.
        var readAt: Instant?
        var isComplete = true
        var lists: [Int64: SignedRevocations] = [:]
    }

    struct Row: Sendable {
        let key: ItemKey
        let record: EndedRecord
    }

    /// The known ends of sessions and grants, and when they were last read.
    struct Known: Sendable {
        let rows: [Row]
        let readAt: Instant
        /// Whether the rows are complete.
        let isComplete: Bool
    }

    /// The maximum number of rows, which is more than fits into a list.
    private static let rowsMax = 200_000
    /// Servers ask for the whole list, or for one or two recent times; anybody may ask for others.
    private static let listsMax = 8

    private let state = Mutex(State())

    package init() {}

    /// - Parameter window: how long a row about an end is needed.
    func known(_ auth: AuthServices, within window: Span) throws(AuthError) -> Known {
        let (now, policy) = (auth.clock.now(), try auth.revocationPolicy)
        let last = state.withLock { state -> Known? in
            guard let readAt = state.readAt, readAt <= now else { return nil }
            return Known(rows: state.rows, readAt: readAt, isComplete: state.isComplete)
        }
        if let last, now < last.readAt + policy.memory { return last }
        // If a part is missing, everything is read again from the beginning.
        let base = last.flatMap { $0.isComplete ? $0 : nil }
        let since = max(now - window, (base?.readAt ?? now - window) - policy.delay)
        let read = try Self.read(auth, since: since)
        return state.withLock { state in
            let start = now - window
            var rows = (base?.rows ?? []).filter { $0.record.endedAt >= start }
            let keys = Set(rows.map(\.key))
            rows += read.rows.filter { !keys.contains($0.key) }
            let isComplete = read.isComplete && rows.count <= Self.rowsMax
            let known = Known(rows: rows, readAt: now, isComplete: isComplete)
            // Another thread may have read later.
            if state.readAt.map({ $0 <= now || $0 > now + window }) ?? true {
                (state.rows, state.readAt, state.isComplete) = (rows, now, isComplete)
            }
            return known
        }
    }

    private static func read(
        _ auth: AuthServices, since: Instant
    ) throws(AuthError) -> (rows: [Row], isComplete: Bool) {
        var rows: [Row] = []
        for shard in 0..<EndedRecord.shards {
            var query = EndedRecord.query(shard: shard, since: since)
            while true {
                let page = try auth.store.query(query)
                for item in page.items {
                    rows.append(Row(key: item.key, record: try decoded(EndedRecord(item))))
                }
                guard let next = page.next else { break }
                guard rows.count <= rowsMax else { return (rows, false) }
                query.after = next
            }
        }
        return (rows, true)
    }

    /// The latest signed list for a time, if it has that ETag.
    func list(_ since: Int64?, tag: String) -> SignedRevocations? {
        state.withLock { $0.lists[since ?? 0] }.flatMap { $0.tag == tag ? $0 : nil }
    }

    func keep(_ list: SignedRevocations, _ since: Int64?, until oldest: Int64) {
        state.withLock { state in
            state.lists = state.lists.filter { $0.key == 0 || $0.key >= oldest }
            state.lists[since ?? 0] = list
            while state.lists.count > Self.listsMax,
                let oldest = state.lists.keys.filter({ $0 != 0 }).min()
            {
                state.lists[oldest] = nil
            }
        }
    }
}

extension AuthServices {
    var revocationPolicy: RevocationPolicy {
        get throws(AuthError) {
            guard let policy = policy.revocations else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }
}
