package import KeyValueStore
package import Time

/// A row whose sort key begins with the time at which it is due, so that a query reads the rows of
/// a partition in the order in which they are due.
package protocol DueRecord {
    init(_ item: Item) throws(StoreFailure)
    var due: Instant { get }
}
