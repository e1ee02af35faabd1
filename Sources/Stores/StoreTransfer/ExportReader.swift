package import KeyValueStore

/// Reads an export, and verifies its count and its checksum at the end.
package final class ExportReader {
    package let header: ExportHeader
    /// The length of the last item's line.
    private(set) var lineBytes = 0
    package private(set) var itemCount = 0

    private let nextLine: () throws(TransferFailure) -> [UInt8]?
    private let checksum = ExportChecksum()

    package static let lineBytesMax = TransferFormat.lineBytesMax

    /// - Parameter nextLine: returns the next line without its end, at most as long as
    ///   `lineBytesMax`; nil at the end.
    package init(
        _ nextLine: @escaping () throws(TransferFailure) -> [UInt8]?
    ) throws(TransferFailure) {
        guard let first = try nextLine(), case .header(let header) = TransferFormat.parse(first)
        else { throw .unknownFormat }
        self.header = header
        self.nextLine = nextLine
        checksum.update(first + [0x0A])
    }

    /// nil after the last item. Do not call it again then.
    package func next() throws(TransferFailure) -> Item? {
        guard let line = try nextLine() else { throw .incomplete }
        let number = itemCount + 2
        switch TransferFormat.parse(line) {
        case .item(let item):
            checksum.update(line + [0x0A])
            lineBytes = line.count
            itemCount += 1
            return item
        case .end(let count, let sha256):
            guard count == itemCount, checksum.end() == sha256 else {
                throw .changed
            }
            guard try nextLine() == nil else { throw .malformedLine(number + 1) }
            return nil
        case .header, nil: throw .malformedLine(number)
        }
    }

    /// The next items, of limited size, and whether there may be more.
    package func nextBatch() throws(TransferFailure) -> (items: [Item], isLast: Bool) {
        var batch: [Item] = []
        var bytes = 0
        while batch.count < Self.itemsPerBatchMax, bytes < Self.batchBytesMax {
            guard let item = try next() else { return (batch, true) }
            batch.append(item)
            bytes += lineBytes
        }
        return (batch, false)
    }

    private static let itemsPerBatchMax = 50
    /// A batch together with the largest item is half of a transaction's limit.
    private static let batchBytesMax = 1 << 20
}
