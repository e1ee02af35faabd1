import Time

/// The tables of docs/scaling.md.
struct Report {
    private let simulation: Simulation
    private let users: Int

    /// The families of keys with a fixed number of partitions: their load grows with the users. In
    /// all other families the number of partitions grows, and a partition has the load of its
    /// account or address.
    private static let shared: Set = ["AUDITHEAD", "OUTBOX", "SEALED", "USERS"]

    init(_ simulation: Simulation, users: Int) {
        self.simulation = simulation
        self.users = users
    }

    var text: String {
        var lines = [
            "\(users) users; the busiest hour has \(rounded(Day.peak)) times the mean.", "",
            "| operation | times |", "|---|---:|",
        ]
        lines += simulation.counts.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value) |" }
        lines += [
            "",
            "| keys | partitions | RCU of the day | WCU of the day | hottest: RCU in a second "
                + "| WCU in a second | of a partition's limit |",
            "|---|---:|---:|---:|---:|---:|---:|",
        ]
        for (name, partitions) in simulation.meter.families {
            let total = partitions.reduce(into: PartitionMeter.Units()) { $0 += $1.total }
            let hottest = partitions.map(\.busiestSecond).max { $0.share < $1.share }
            let second = hottest ?? PartitionMeter.Units()
            lines.append(
                "| `\(name)` | \(partitions.count) | \(total.read) | \(total.write) | "
                    + "\(second.read) | \(second.write) | \(rounded(second.share * 100))% |")
        }
        lines += [
            "",
            "| shared keys | partitions | WCU/s of one in the busiest hour, at 1 million users "
                + "| at 100 million | full at, million users |",
            "|---|---:|---:|---:|---:|",
        ]
        for (name, partitions) in simulation.meter.families where Self.shared.contains(name) {
            let total = partitions.reduce(0) { $0 + $1.total.write }
            // The writes of a day, spread evenly over the partitions, which are chosen by a hash.
            let each = Double(total) / Double(partitions.count) / 86_400 * Day.peak
            let million = each * 1_000_000 / Double(users)
            let full = million > 0 ? rounded(1000 / million) : "-"
            lines.append(
                "| `\(name)` | \(partitions.count) | \(rounded(million)) | "
                    + "\(rounded(million * 100)) | \(full) |")
        }
        return lines.joined(separator: "\n")
    }

    private func rounded(_ number: Double, _ digits: Int = 1) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
        return "\(scaled / scale).\(zeros)\(fraction)"
    }
}
