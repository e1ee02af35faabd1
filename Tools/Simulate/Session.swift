import Foundation
import Glibc
import Simulations

/// What one start of the program does.
struct Session {
    private let options: Options
    private let runner: Runner
    private let clock = ContinuousClock()
    private let history: FileHandle?

    /// Enough for each of the mutations; for one that is prevented, to see that.
    private static func seeds(for mutation: Mutation) -> ClosedRange<UInt64> {
        1...(mutation.guardedBy == nil ? 2000 : 200)
    }

    init(_ options: Options) throws {
        self.options = options
        history = try options.historyPath.map { path in
            try Data().write(to: URL(filePath: path))
            return try FileHandle(forWritingTo: URL(filePath: path))
        }
        runner = Runner(contract: options.contract, mutation: options.mutation)
    }

    /// - Returns: the exit status.
    func run() throws -> Int32 {
        switch options.task {
        case .mutations: return try mutations().allSatisfy(\.isExplained) ? 0 : 1
        case .rotation:
            let report = try RotationModel().explore()
            print(report.line)
            if let finding = report.finding { print(finding) }
            return report.finding == nil ? 0 : 1
        case .report(let commit): return try report(commit)
        case .runs:
            if let seed = options.seed, options.stepsMax == nil, options.minutes == nil {
                return try one(seed)
            }
            let (summary, seconds, isFine) = try many { print($0) }
            print(Page.line(summary, seconds))
            print(Page.faults(summary))
            print(Page.coverage(summary))
            return isFine ? 0 : 1
        }
    }

    private func one(_ seed: UInt64) throws -> Int32 {
        let result = try runner.run(seed: seed, isTold: true, keepsHistory: history != nil)
        try keep(result)
        guard result.violation != nil else {
            for line in result.story { print(line) }
            print("seed \(seed): \(result.steps) steps, digest \(result.digest)")
            return 0
        }
        try tell(result) { print($0) }
        return 1
    }

    private func keep(_ result: RunResult) throws {
        try history?.write(contentsOf: Data(result.history.map { $0 + "\n" }.joined().utf8))
    }

    /// Of this process: the machine may have other work.
    private static var processorSeconds: Double {
        // In microseconds, as POSIX says.
        Double(Glibc.clock()) / 1e6
    }

    private func tell(_ result: RunResult, _ write: (String) -> Void) throws {
        let shortest = try runner.shrink(result)
        for line in shortest.story { write(line) }
        guard let violation = shortest.violation else { return }
        write("seed \(result.seed): \(violation.invariant.rawValue): \(violation.text)")
        write("repeat it with: simulate --seed \(result.seed)")
    }

    private func many(
        _ write: (String) -> Void
    ) throws -> (summary: Summary, seconds: Double, isFine: Bool) {
        var summary = Summary()
        let (start, processorStart) = (clock.now, Self.processorSeconds)
        let limit = options.minutes.map { Duration.seconds($0 * 60) }
        let stepsMax = options.stepsMax ?? (limit == nil ? 1_000_000 : .max)
        var seed = options.seed ?? 1
        func seconds() -> Double { Self.processorSeconds - processorStart }
        while summary.steps < stepsMax, limit.map({ clock.now - start < $0 }) ?? true {
            let result = try runner.run(seed: seed, keepsHistory: history != nil)
            try keep(result)
            summary.add(result)
            if result.violation != nil {
                try tell(result, write)
                return (summary, seconds(), false)
            }
            seed += 1
        }
        return (summary, seconds(), true)
    }

    private func mutations(_ write: (String) -> Void = { print($0) }) throws -> [MutationResult] {
        try Mutation.all.map { mutation in
            let result = try MutationResult.find(mutation, seeds: Self.seeds(for: mutation))
            write(result.row)
            return result
        }
    }

    private func report(_ commit: String) throws -> Int32 {
        let (summary, seconds, isFine) = try many { print($0) }
        guard isFine else { return 1 }
        let rows = try mutations { _ in }
        let rotation = try RotationModel().explore()
        guard rotation.finding == nil else { return 1 }
        print(Page.text(commit: commit, summary, seconds, rows, rotation), terminator: "")
        return 0
    }
}
