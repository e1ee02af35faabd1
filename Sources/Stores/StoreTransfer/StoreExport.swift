internal import KeyValueStore

/// Writes all items of a store that have not expired (docs/operating.md). It holds one page of them
/// in memory.
package struct StoreExport: Sendable {
    private static let itemsPerPage = 100

    private let store: any ScannableStore

    package init(_ store: any ScannableStore) { self.store = store }

    /// Returns the number of items.
    ///
    /// - Parameters:
    ///   - progress: gets the number of items so far, after each page.
    ///   - write: gets lines with their line feeds.
    package func run(
        _ header: ExportHeader = ExportHeader(), progress: (Int) -> Void = { _ in },
        write: ([UInt8]) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> Int {
        let checksum = ExportChecksum()
        var count = 0
        func add(_ lines: [UInt8]) throws(TransferFailure) {
            checksum.update(lines)
            try write(lines)
        }
        try add(TransferFormat.line(header))
        try pages { items throws(TransferFailure) in
            count += items.count
            try add(items.flatMap(TransferFormat.line))
            progress(count)
        }
        try write(TransferFormat.end(count: count, sha256: checksum.end()))
        return count
    }

    /// Reads all items in pages: as they were at one moment, if the store supports snapshots.
    private func pages(
        _ take: ([Item]) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        guard let store = store as? any SnapshotStore else {
            var position: ItemKey?
            repeat {
                let page = try stored { () throws(StoreFailure) in
                    try store.scan(after: position, limit: Self.itemsPerPage)
                }
                try take(page.items)
                position = page.next
            } while position != nil
            return
        }
        var failure: TransferFailure?
        try stored { () throws(StoreFailure) in
            try store.snapshot(itemsPerPage: Self.itemsPerPage) { items in
                do throws(TransferFailure) {
                    try take(items)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }
}

func stored<Value>(_ call: () throws(StoreFailure) -> Value) throws(TransferFailure) -> Value {
    do throws(StoreFailure) {
        return try call()
    } catch {
        throw .store(error)
    }
}
