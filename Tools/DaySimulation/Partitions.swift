import AuthTestSupport
import Synchronization

/// The load of each partition of the table during a day, and in its busiest second.
final class PartitionMeter: Sendable {
    struct Units {
        var read = 0
        var write = 0

        static func += (sum: inout Units, more: Units) {
            sum.read += more.read
            sum.write += more.write
        }

        /// The used share of DynamoDB's limit for a partition in a second.
        var share: Double { max(Double(read) / 3000, Double(write) / 1000) }
    }

    struct Partition {
        var total = Units()
        var busiestSecond = Units()
        fileprivate var second: (at: Int64, units: Units) = (0, Units())

        fileprivate mutating func add(_ units: Units, at seconds: Int64) {
            if second.at != seconds { second = (seconds, Units()) }
            total += units
            second.units += units
            if second.units.share > busiestSecond.share { busiestSecond = second.units }
        }
    }

    private let clock: TestClock
    private let partitions = Mutex<[String: Partition]>([:])

    init(clock: TestClock) { self.clock = clock }

    func add(_ partition: String, _ cost: StoreCost) {
        let seconds = clock.now.seconds
        let units = Units(read: cost.readUnits, write: cost.writeUnits)
        partitions.withLock { $0[partition, default: Partition()].add(units, at: seconds) }
    }

    func forget() { partitions.withLock { $0 = [:] } }

    /// The partitions grouped by the prefix of their keys, and for rate limits also by the limit's
    /// name.
    var families: [(name: String, partitions: [Partition])] {
        let all = partitions.withLock { $0 }
        let groups = Dictionary(grouping: all) { Self.session(of: $0.key) }
        return groups.map { ($0.key, $0.value.map(\.value)) }.sorted { $0.name < $1.name }
    }

    private static func session(of partition: String) -> String {
        let parts = partition.split(separator: "#", omittingEmptySubsequences: false)
        guard parts[0] == "RATE", parts.count > 1 else { return String(parts[0]) }
        return "RATE#\(parts[1])"
    }
}
