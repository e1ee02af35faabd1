internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// Removes expired rows, if the store does not remove them itself.
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

    /// The pages are small enough for a transaction of a few milliseconds.
    private static let rowsPerCallMax = 1000
}
