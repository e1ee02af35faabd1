internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Handles the rows of a list that are due, one after the other.
    ///
    /// Several runs may be active at the same time, so `handle` claims its row by a conditional
    /// write.
    ///
    /// - Parameters:
    ///   - minimum: the time that must be left until `end` to begin a row.
    ///   - handle: false if no further row should be begun.
    /// - Returns: false if some rows that are due may not have been handled.
    func forEachDue<Row: DueRecord>(
        _ list: PartitionQuery, until end: Instant, each minimum: Span,
        _ handle: (Row) throws(AuthError) -> Bool
    ) throws(AuthError) -> Bool {
        var query = list
        // If `handle` moves a row, the query does not find it again, because it is no longer due.
        let start = clock.now()
        while true {
            let page = try store.query(query)
            for item in page.items {
                let row = try decoded(Row(item))
                guard row.due <= start else { return true }
                guard clock.now() + minimum <= end, try handle(row) else { return false }
            }
            guard let next = page.next else { return true }
            query.after = next
        }
    }
}
