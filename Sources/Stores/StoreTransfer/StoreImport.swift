internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Reads an export of `StoreExport` into a store. It creates items and never changes one, so that
/// it may be repeated after a failure: an existing item is compared. It holds one batch of items in
/// memory.
package struct StoreImport: Sendable {
    package struct Counts: Equatable, Sendable {
        package var written = 0
        /// Existed already, from an earlier run.
        package var present = 0
        /// Have expired since the export.
        package var expired = 0

        package init(written: Int = 0, present: Int = 0, expired: Int = 0) {
            self.written = written
            self.present = present
            self.expired = expired
        }
    }

    private static let itemsPerBatchMax = 50
    /// A quarter of a transaction's limit.
    private static let batchBytesMax = 1 << 20
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
    ///   - continues: whether the target may have items of an earlier run.
    ///   - nextLine: the next line without its end, at most as long as `lineBytesMax`; nil at the
    ///     end.
    package func run(
        continues: Bool, nextLine: () throws(TransferFailure) -> [UInt8]?
    ) throws(TransferFailure) -> Counts {
        if !continues {
            guard try isEmpty() else { throw .targetNotEmpty }
        }
        guard let first = try nextLine(), case .header(let version) = TransferFormat.parse(first),
            version == TransferFormat.version
        else { throw .unknownFormat }
        var digest = SHA256Hasher()
        digest.update(first + [0x0A])
        var (counts, number) = (Counts(), 1)
        var (batch, batchBytes) = ([Item](), 0)
        while let line = try nextLine() {
            number += 1
            switch TransferFormat.parse(line) {
            case .item(let item):
                digest.update(line + [0x0A])
                if batch.count == Self.itemsPerBatchMax
                    || batchBytes + line.count > Self.batchBytesMax
                {
                    try write(batch, &counts)
                    (batch, batchBytes) = ([], 0)
                }
                batch.append(item)
                batchBytes += line.count
            case .end(let count, let sha256):
                guard count == number - 2, Hex.encode(digest.finalize()) == sha256 else {
                    throw .changed
                }
                guard try nextLine() == nil else { throw .malformedLine(number + 1) }
                try write(batch, &counts)
                return counts
            case .header, nil: throw .malformedLine(number)
            }
        }
        throw .incomplete
    }

    package static let lineBytesMax = TransferFormat.lineBytesMax

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
        // Some exist: from an earlier run, or from an attempt whose response was lost.
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
