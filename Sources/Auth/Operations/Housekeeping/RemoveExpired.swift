internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// Removes expired rows where the store does not do it by itself.
    package static let removeExpired = HousekeepingJob("expired", needs: []) {
        auth, end throws(AuthError) in
        var removed = 0
        while auth.clock.now() < end {
            let count = try auth.store.removeExpired(max: rowsPerCallMax)
            removed += count
            guard count == rowsPerCallMax else { break }
        }
        return [("removed", removed)]
    }

    /// Few enough for a transaction of some milliseconds.
    private static let rowsPerCallMax = 1000
}
