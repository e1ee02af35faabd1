/// Totals of many runs.
package struct Summary: Sendable {
    package private(set) var seeds = 0
    package private(set) var steps = 0
    package private(set) var calls = 0
    package private(set) var requests = 0
    package private(set) var faults: [Fault: Int] = [:]
    /// The combinations of operation, outcome and preceding fault.
    package private(set) var coverage: [String: Int] = [:]
    package private(set) var outcomes: [String: Int] = [:]

    package init() {}

    package mutating func add(_ result: RunResult) {
        seeds += 1
        steps += result.steps
        calls += result.calls
        requests += result.requests
        faults.merge(result.faults, uniquingKeysWith: +)
        coverage.merge(result.coverage, uniquingKeysWith: +)
        outcomes.merge(result.outcomes, uniquingKeysWith: +)
    }

    package mutating func add(_ other: Summary) {
        seeds += other.seeds
        steps += other.steps
        calls += other.calls
        requests += other.requests
        faults.merge(other.faults, uniquingKeysWith: +)
        coverage.merge(other.coverage, uniquingKeysWith: +)
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
    }

    package var faultCount: Int { faults.values.reduce(0, +) }

    /// The operations of the functions, with the number of their outcomes, and the number of
    /// combinations with faults.
    package var operations: [(name: String, requests: Int, outcomes: Int, combinations: Int)] {
        var rows: [String: (requests: Int, outcomes: Set<String>, combinations: Int)] = [:]
        for (key, count) in coverage {
            let parts = key.split(separator: " ").map(String.init)
            guard parts.count == 4 else { continue }
            var row = rows["\(parts[0]) \(parts[1])"] ?? (0, [], 0)
            row.requests += count
            row.outcomes.insert(parts[2])
            row.combinations += 1
            rows["\(parts[0]) \(parts[1])"] = row
        }
        return rows.map {
            ($0.key, $0.value.requests, $0.value.outcomes.count, $0.value.combinations)
        }
        .sorted { $0.name < $1.name }
    }
}

/// The effort to find a planted bug.
package struct MutationResult: Sendable {
    package let mutation: Mutation
    /// nil if the bug was not found.
    package let violation: Violation?
    package let seed: UInt64
    /// The steps of all runs so far.
    package let steps: Int

    /// Whether the mutation was found, or another condition prevents it.
    package var isExplained: Bool { violation != nil || mutation.guardedBy != nil }

    package static func find(_ mutation: Mutation, seeds: ClosedRange<UInt64>) throws
        -> MutationResult
    {
        let runner = Runner(mutation: mutation)
        var steps = 0
        for seed in seeds {
            let result = try runner.run(seed: seed)
            steps += result.steps
            if let violation = result.violation {
                return MutationResult(
                    mutation: mutation, violation: violation, seed: seed, steps: steps)
            }
        }
        return MutationResult(
            mutation: mutation, violation: nil, seed: seeds.upperBound, steps: steps)
    }

    package var row: String {
        let found =
            violation.map { "`\($0.invariant.rawValue)`" }
            ?? mutation.guardedBy.map { "not found: guarded by \($0)" } ?? "not found"
        return "| `\(mutation.name)` | \(mutation.what) | \(found) | \(steps) |"
    }
}
