internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// Counts the accounts once a day, and adds missing rows of an index for accounts that are
    /// older than the index. A run does a part of the work.
    package static let walkDirectory = HousekeepingJob("users", needs: []) {
        auth, end throws(AuthError) in
        let result = try DirectoryWalker(auth: auth).run(until: end)
        return [("counted", result.counted), ("indexed", result.indexed)]
    }
}

struct DirectoryWalker {
    let auth: AuthServices

    private static let pauseBetween = Span.hours(24)
    private static let pagesPerRunMax = 20
    private static let rowsPerPage = 100

    func run(until end: Instant) throws(AuthError) -> (counted: Int, indexed: Int) {
        guard auth.policy.accounts.isListed else { return (0, 0) }
        var walk =
            try auth.store.get(StoreLayout.directoryWalk).map { item throws(AuthError) in
                try decoded(DirectoryWalk(item))
            } ?? DirectoryWalk()
        let now = auth.clock.now()
        if walk.after == nil, let countedAt = walk.countedAt, now - countedAt < Self.pauseBetween {
            return (0, 0)
        }
        var (counted, indexed) = (0, 0)
        for _ in 0..<Self.pagesPerRunMax where auth.clock.now() < end {
            var query = PartitionQuery(StoreLayout.directoryPartition, limit: Self.rowsPerPage)
            query.after = walk.after
            let page = try auth.store.query(query)
            let ids = page.items.compactMap { StoreLayout.directoryUser($0.key.sort) }
            if !walk.isIndexed { for id in ids where try index(id) { indexed += 1 } }
            counted += ids.count
            walk.count += Int64(ids.count)
            walk.after = page.next
            if page.next == nil {
                (walk.total, walk.countedAt, walk.isIndexed) = (walk.count, now, true)
                walk.count = 0
                break
            }
        }
        try auth.store.write([.put(walk.item, when: [])])
        return (counted, indexed)
    }

    /// The rows are written only if the account is unchanged since it was read: a change writes its
    /// own rows.
    private func index(_ id: UserID) throws(AuthError) -> Bool {
        for _ in auth.attempts {
            guard let user = try auth.store.get([StoreLayout.profile(id)]).user(id),
                user.deletedAt == nil
            else { return false }
            let accounts = auth.policy.accounts
            let writes =
                accounts.userIndex(from: nil, to: user)
                + accounts.roleIndex(of: user, from: nil)
            guard !writes.isEmpty else { return false }
            let check = Write.check(
                StoreLayout.profile(id), when: UserRecord.unchanged(user))
            if try auth.store.attempt([check] + writes) { return true }
        }
        throw .unavailable(.contention)
    }
}
