internal import JSON

/// One page of a Query or a Scan.
struct RangePage {
    /// The size limit of a page, measured before filtering.
    static let bytesMax = 1 << 20

    private(set) var items: [AttributeMap] = []
    private(set) var count = 0
    private(set) var scannedCount = 0
    private(set) var bytes = 0
    private(set) var last: AttributeMap?

    init(
        _ read: RangeRead, of target: ReadTarget, _ range: KeyRange, isAscending: Bool,
        in tables: Tables
    ) throws(DynamoDBError) {
        var page = (items: [AttributeMap](), count: 0, scanned: 0, bytes: 0)
        var last: AttributeMap?
        var isDamaged = false
        let keepsItems = read.select != .count
        let fetchesItems = target.fetchesItems(for: read)
        try tables.store.read(range, isAscending: isAscending) { _, value in
            guard var item = DynamoDBItemCodec.decode(value) else {
                isDamaged = true
                return false
            }
            page.scanned += 1
            page.bytes += ItemSize.of(item)
            if fetchesItems {
                guard let whole = try? target.item(of: item, in: tables) else {
                    isDamaged = true
                    return false
                }
                item = whole
            }
            if read.filter?.holds(for: item) ?? true {
                page.count += 1
                if keepsItems { page.items.append(read.projection?.applied(to: item) ?? item) }
            }
            if page.scanned == read.limit || page.bytes >= Self.bytesMax {
                last = target.position(of: item)
                return false
            }
            return true
        }
        guard !isDamaged else { throw .storage("a stored item cannot be read") }
        (items, count, scannedCount, bytes) = page
        self.last = last
    }

    func answer(_ read: RangeRead, _ target: ReadTarget, _ detail: CapacityDetail) -> [UInt8] {
        var answer = DynamoDBResponseWriter()
        if read.select != .count {
            answer.member("Items") { wire in wire.array(items) { $0.map($1) } }
        }
        answer.member("Count", .number(count))
        answer.member("ScannedCount", .number(scannedCount))
        answer.member("LastEvaluatedKey", last)
        if detail != .none {
            var capacity = Capacity(target.table.name)
            capacity.read(bytes, from: target.index, isConsistent: read.isConsistent)
            answer.member("ConsumedCapacity", capacity.json(detail))
        }
        return answer.finished()
    }
}
