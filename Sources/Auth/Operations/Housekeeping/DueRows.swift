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
    ///   - minimum: no row is begun with less time left until `end`.
    ///   - handle: false if no further row should be begun.
    /// - Returns: false if rows that are due may be left.
    func forEachDue<Row: DueRecord>(
        _ list: PartitionQuery, until end: Instant, each minimum: Span,
        _ handle: (Row) throws(AuthError) -> Bool
    ) throws(AuthError) -> Bool {
        var query = list
        // A row that `handle` moves is not found again, because it is no longer due.
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
