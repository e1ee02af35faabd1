internal import EmulatorDynamoDB
internal import Synchronization

/// A permission that a function used while its fixtures were replayed.
package struct UsedPermission: Hashable, Sendable, CustomStringConvertible {
    package let contract: String
    package let function: String
    /// The operation's name without its prefix: `GetItem`.
    package let action: String
    /// The common beginning of the partition keys, up to `#`; nil if the request names none.
    package let partition: String?

    /// The format of `emulator replay --permissions`.
    package var description: String { "\(contract) \(function) \(action) \(partition ?? "*")" }

    package init(contract: String, function: String, action: String, partition: String?) {
        self.contract = contract
        self.function = function
        self.action = action
        self.partition = partition
    }
}

/// Collects the calls of each function to the table. Each function is identified by its own
/// endpoint, because all have the same credentials.
final class ReplayCalls: Sendable {
    private let observed = Mutex<Set<UsedPermission>>([])

    var all: Set<UsedPermission> { observed.withLock { $0 } }

    /// The endpoint of a function, or of one run of it.
    static func path(of function: String, in contract: String, run: String?) -> String {
        // A folder may have no contracts.
        "/\(contract.isEmpty ? "-" : contract)/\(function)" + (run.map { "/\($0)" } ?? "")
    }

    /// nil if the path is not of a single run.
    static func run(at path: Substring) -> String? {
        let parts = path.split(separator: "/")
        return parts.count == 3 ? String(parts[2]) : nil
    }

    func note(_ accesses: [DynamoDBAccess], at path: Substring) {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count >= 2 else { return }
        observed.withLock { observed in
            for access in accesses {
                for key in access.leadingKeys.map({ $0.map(Optional.some) }) ?? [nil] {
                    observed.insert(
                        UsedPermission(
                            contract: parts[0], function: parts[1], action: access.action,
                            partition: key.map { key in String(key.prefix { $0 != "#" }) }))
                }
            }
        }
    }
}
