internal import KeyValueStore
package import Time

/// Reads an export of `StoreExport` into a store. It creates items and never changes one, so that
/// it may be repeated after a failure: an existing item is compared. It holds one batch of items in
/// memory.
package struct StoreImport: Sendable {
    package struct Counts: Equatable, Sendable {
        package var written = 0
        /// Items that existed already, from an earlier run.
        package var present = 0
        /// Items that have expired since the export.
        package var expired = 0

        package init(written: Int = 0, present: Int = 0, expired: Int = 0) {
            self.written = written
            self.present = present
            self.expired = expired
        }
    }

    private static let attemptsMax = 5

    private let store: any ScannableStore
    private let clock: WallClock
    private let pause: @Sendable (Span) -> Void

    package init(
        into store: any ScannableStore, clock: WallClock, pause: @escaping @Sendable (Span) -> Void
    ) {
        self.store = store
        self.clock = clock
        self.pause = pause
    }

    /// - Parameters:
    ///   - continues: whether the target may contain items of an earlier run.
    ///   - progress: gets the number of items read so far, after each batch.
    package func run(
        _ export: ExportReader, continues: Bool, progress: (Int) -> Void = { _ in }
    ) throws(TransferFailure) -> Counts {
        if !continues {
            guard try isEmpty() else { throw .targetNotEmpty }
        }
        var counts = Counts()
        while true {
            let batch = try export.nextBatch()
            try write(batch.items, &counts)
            progress(export.itemCount)
            if batch.isLast { return counts }
        }
    }

    private func isEmpty() throws(TransferFailure) -> Bool {
        var position: ItemKey?
        repeat {
            let page = try stored { () throws(StoreFailure) in
                try store.scan(after: position, limit: 1)
            }
            guard page.items.isEmpty else { return false }
            position = page.next
        } while position != nil
        return true
    }

    private func write(_ batch: [Item], _ counts: inout Counts) throws(TransferFailure) {
        let now = clock.now()
        let items = batch.filter { $0.exists(at: now) }
        counts.expired += batch.count - items.count
        guard !items.isEmpty else { return }
        if try create(items) {
            counts.written += items.count
            return
        }
        // Some of the items exist, from an earlier run or from an attempt whose response was lost.
        for item in items {
            if try create([item]) {
                counts.written += 1
                continue
            }
            let found = try stored { () throws(StoreFailure) in try store.get(item.key) }
            guard found == item else { throw .conflict(item.key) }
            counts.present += 1
        }
    }

    /// Creates the items; false if any of them exists.
    private func create(_ items: [Item]) throws(TransferFailure) -> Bool {
        let writes = items.map { Write.put($0, when: [.absent]) }
        for attempt in 1... {
            do throws(StoreFailure) {
                try store.write(writes)
                return true
            } catch .conditionFailed {
                return false
            } catch {
                guard case .unavailable = error, attempt < Self.attemptsMax else {
                    throw .store(error)
                }
                pause(.milliseconds(Int64(200 * attempt)))
            }
        }
        return false
    }
}
