internal import KeyValueStore

/// Runs one store call and maps its failure. If losing a race is an expected result, the operation
/// catches `.conditionFailed` itself.
func stored<Value>(
    _ call: () throws(StoreFailure) -> Value
) throws(AuthError) -> Value {
    do {
        return try call()
    } catch {
        switch error {
        case .conditionFailed: throw .unavailable(.contention)
        case .unavailable: throw .unavailable(.store)
        case .refused: throw .fault(.storeRefused)
        case .unreadable: throw .fault(.storedDataUnreadable)
        }
    }
}

/// Makes a conditional write; false if another request was first.
func attempted(
    _ call: () throws(StoreFailure) -> Void
) throws(AuthError) -> Bool {
    do {
        try call()
        return true
    } catch {
        switch error {
        case .conditionFailed: return false
        case .unavailable: throw .unavailable(.store)
        case .refused: throw .fault(.storeRefused)
        case .unreadable: throw .fault(.storedDataUnreadable)
        }
    }
}

/// Reads all pages of a query: a page may be short, even empty, without being the last (a store may
/// still have expired items). The newest item may be on the last.
///
/// - Parameter first: the first page, if it was already read.
func everyItem(
    of store: any KeyValueStore, _ query: PartitionQuery, first: Page? = nil, pagesMax: Int = 64
) throws(AuthError) -> [Item] {
    var items: [Item] = []
    var query = query
    if let first {
        items = first.items
        guard let next = first.next else { return items }
        query.after = next
    }
    for _ in 0..<pagesMax {
        let asked = query
        let page = try stored { () throws(StoreFailure) in try store.query(asked) }
        items += page.items
        guard let next = page.next else { return items }
        query.after = next
    }
    throw .unavailable(.store)
}
