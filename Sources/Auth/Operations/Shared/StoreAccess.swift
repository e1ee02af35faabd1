internal import KeyValueStore

/// Runs one store call and says what its failure means for the caller. Where losing a race is an
/// outcome rather than a failure, the operation catches `.conditionFailed` itself.
func stored<Value>(
    _ call: () throws(StoreFailure) -> Value
) throws(AuthError) -> Value {
    do {
        return try call()
    } catch {
        switch error {
        case .conditionFailed: throw .unavailable(.contention)
        case .unavailable: throw .unavailable(.store)
        case .invalid: throw .fault(.storedDataUnreadable)
        }
    }
}

/// Makes a conditional write; false when another request was first.
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
        case .invalid: throw .fault(.storedDataUnreadable)
        }
    }
}

/// Follows a query from page to page: a page may be short, even empty, and not be the last one
/// (a store may still hold what has expired). The newest item may stand on the last.
///
/// - Parameter first: the first page, where it was read with something else.
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

package enum Attempts {
    /// How often an operation starts over after losing a race. Each loss means that another
    /// request made progress.
    package static let max = 8
}
