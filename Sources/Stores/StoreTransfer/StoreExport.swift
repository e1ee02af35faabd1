internal import Bytes
internal import Cryptography
internal import KeyValueStore

/// Writes all items of a store that have not expired (docs/operating.md). It holds one page of them
/// in memory.
package struct StoreExport: Sendable {
    private static let itemsPerPage = 100

    private let store: any ScannableStore

    package init(_ store: any ScannableStore) { self.store = store }

    /// Returns the number of items.
    ///
    /// - Parameter write: is passed lines with their line feeds.
    package func run(
        write: ([UInt8]) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> Int {
        var digest = SHA256Hasher()
        var count = 0
        digest.update(TransferFormat.header)
        try write(TransferFormat.header)
        var position: ItemKey?
        repeat {
            let page = try stored { () throws(StoreFailure) in
                try store.scan(after: position, limit: Self.itemsPerPage)
            }
            var lines: [UInt8] = []
            for item in page.items { lines += TransferFormat.line(item) }
            count += page.items.count
            digest.update(lines)
            try write(lines)
            position = page.next
        } while position != nil
        try write(TransferFormat.end(count: count, sha256: Hex.encode(digest.finalize())))
        return count
    }
}

func stored<Value>(_ call: () throws(StoreFailure) -> Value) throws(TransferFailure) -> Value {
    do throws(StoreFailure) {
        return try call()
    } catch {
        throw .store(error)
    }
}
