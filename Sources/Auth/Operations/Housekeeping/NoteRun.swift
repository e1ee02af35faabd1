internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// The last job: stores the time of the run and the counts of a server, for the administrators'
    /// page.
    package static let noteRun = HousekeepingJob("run", needs: []) {
        auth, _ throws(AuthError) in
        try auth.writeActivity()
        let record = HousekeepingRecord(endedAt: auth.clock.now())
        try auth.store.write([.put(record.item, when: [])])
        return []
    }
}
