/// A store in which each replayed fixture has its own table.
package protocol ReplayTables: Sendable {
    /// The key of the store's environment in `settings.json`.
    var storeName: String { get }

    /// The placeholders with which the functions of a fixture find its table.
    func placeholders(of table: String) -> [(name: String, value: String)]

    /// - Parameter table: at most 48 letters a-z, digits and `_`.
    func create(_ table: String) throws(FixtureFailure)

    /// Fills a table that has just been created with the items of another.
    func copy(_ table: String, to other: String) throws(FixtureFailure)

    func delete(_ table: String)

    func stop()

    /// The calls of the functions; empty if they are not known.
    var calls: Set<UsedPermission> { get }

    /// Changes a setting of one function, so that its calls differ from other functions' calls. For
    /// one run, the change also sends the calls to its observer.
    func setting(_ value: String, of function: String, in contract: String, run: String?)
        -> String

    /// Passes the calls of a run to `observer`, until that is nil. Returns false if the calls are
    /// not known.
    func observe(_ run: String, by observer: (any StoreCallObserver)?) -> Bool
}

extension ReplayTables {
    package var calls: Set<UsedPermission> { [] }

    package func setting(
        _ value: String, of function: String, in contract: String, run: String?
    ) -> String { value }

    package func observe(_ run: String, by observer: (any StoreCallObserver)?) -> Bool { false }
}
