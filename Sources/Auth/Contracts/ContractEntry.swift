internal import CContracts
internal import Synchronization

/// Registers a contract. The file of each contract has one:
///
///     @section("latchkey_contracts") @used
///     private let entry: ContractEntry = { Contract.register("whateat") { .whateat } }
///
/// The linker collects the entries in one section. There is no central list: adding the folder adds
/// the contract, and updates of Latchkey cannot conflict with it. The module `AuthPages` registers
/// the pages of all contracts in the same way.
package typealias ContractEntry = @convention(c) () -> Void

extension Contract {
    /// The names of all contracts, sorted.
    package static let names: [String] = registered.contracts.map(\.name)

    package static var all: [Contract] { registered.contracts.map { $0.make() } }

    package static func named(_ name: String) -> Contract? {
        registered.contracts.first { $0.name.utf8.elementsEqual(name.utf8) }?.make()
    }

    package static func register(_ name: String, _ make: @escaping @Sendable () -> Contract) {
        entries.withLock { $0.contracts.append((name, make)) }
    }

    package static func registerPages(
        unrouted: @escaping Endpoint.ProblemPage,
        _ make: @escaping @Sendable (ContractPages) -> [Endpoint]
    ) {
        entries.withLock {
            $0.endpoints = make
            $0.unrouted = unrouted
        }
    }

    /// nil if the executable has no pages.
    package static var unroutedPages: Endpoint.ProblemPage? { registered.unrouted }

    /// The endpoints of the pages; an empty list if the executable has no pages.
    static func endpoints(of pages: ContractPages) -> [Endpoint] { registered.endpoints(pages) }

    private struct Entries {
        var contracts: [(name: String, make: @Sendable () -> Contract)] = []
        var endpoints: @Sendable (ContractPages) -> [Endpoint] = { _ in [] }
        var unrouted: Endpoint.ProblemPage?
    }
    private static let entries = Mutex(Entries())

    /// Contracts are created on demand, because a function needs only one.
    private static let registered: Entries = {
        latchkey_register_contracts()
        return entries.withLock { entries in
            entries.contracts.sort { $0.name < $1.name }
            return entries
        }
    }()
}
