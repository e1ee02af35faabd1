/// A store in which each replayed fixture has a table of its own.
package protocol ReplayTables: Sendable {
    /// The key of its environment in `world.json`.
    var storeName: String { get }

    /// How the functions of a fixture reach its table.
    func placeholders(of table: String) -> [(name: String, value: String)]

    /// - Parameter table: at most 48 letters a-z, digits and `_`.
    func create(_ table: String) throws(FixtureFailure)

    func delete(_ table: String)

    func stop()

    /// What the functions did; empty if that is not known.
    var calls: Set<ObservedCall> { get }

    /// A setting of one function, whose calls are told from those of others by it.
    func setting(_ value: String, of function: String, in contract: String) -> String
}

extension ReplayTables {
    package var calls: Set<ObservedCall> { [] }

    package func setting(_ value: String, of function: String, in contract: String) -> String {
        value
    }
}
