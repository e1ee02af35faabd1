internal import CContracts
internal import Synchronization

/// Registers a contract. The file of each contract has one:
///
///     @section("latchkey_contracts") @used
///     private let entry: ContractEntry = { Contract.register("whateat") { .whateat } }
///
/// The linker collects them in one section. There is no central list: adding the folder adds the
/// contract, and updates of Latchkey cannot conflict with it.
package typealias ContractEntry = @convention(c) () -> Void

extension Contract {
    /// The names of all contracts, sorted.
    package static let names: [String] = registered.map(\.name)

    package static var all: [Contract] { registered.map { $0.make() } }

    package static func named(_ name: String) -> Contract? {
        registered.first { $0.name.utf8.elementsEqual(name.utf8) }?.make()
    }

    package static func register(_ name: String, _ make: @escaping @Sendable () -> Contract) {
        entries.withLock { $0.append((name, make)) }
    }

    private typealias Entries = [(name: String, make: @Sendable () -> Contract)]
    private static let entries = Mutex<Entries>([])

    /// Contracts are created on demand, because a function needs only one.
    private static let registered: Entries = {
        latchkey_register_contracts()
        return entries.withLock { $0.sorted { $0.name < $1.name } }
    }()
}
