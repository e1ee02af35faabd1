import Foundation
import Glibc
import Simulations

/// One run of the program.
struct Session {
    private let options: Options
    private let clock = ContinuousClock()
    private let history: FileHandle?

    /// Enough seeds to find each mutation, or to show that another condition prevents it.
    private static func seeds(for mutation: Mutation) -> ClosedRange<UInt64> {
        1...(mutation.guardedBy == nil ? 2000 : 200)
    }

    init(_ options: Options) throws {
        self.options = options
        history = try options.historyPath.map { path in
            try Data().write(to: URL(filePath: path))
            return try FileHandle(forWritingTo: URL(filePath: path))
        }
    }

    private var runner: Runner {
        Runner(
            contract: options.contract, store: options.store, mutation: options.mutation,
            features: options.features)
    }

    /// - Returns: the exit status.
    func run() throws -> Int32 {
        switch options.task {
        case .mutations: return try mutations { print($0.row) }.allSatisfy(\.isExplained) ? 0 : 1
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
            let runs = try many(runner, stepsMax: options.stepsMax)
            print(Page.line(runs))
            print(Page.faults([runs]))
            print(Page.coverage([runs]))
            return runs.isFine ? 0 : 1
        }
    }

    private func one(_ seed: UInt64) throws -> Int32 {
        let result = try runner.run(seed: seed, isTold: true, keepsHistory: history != nil)
        try keep(result)
        guard result.violation != nil else {
            for line in result.drawn + result.transcript { print(line) }
            print("seed \(seed): \(result.steps) steps, digest \(result.digest)")
            return 0
        }
        try tell(result, runner)
        return 1
    }

    private func keep(_ result: RunResult) throws {
        try history?.write(contentsOf: Data(result.history.map { $0 + "\n" }.joined().utf8))
    }

    /// Processor time of this process only, because the machine may have other work.
    private static var processorSeconds: Double {
        // POSIX defines the clock in microseconds.
        Double(Glibc.clock()) / 1e6
    }

    private func tell(_ result: RunResult, _ runner: Runner) throws {
        let shortest = try runner.shrink(result)
        for line in result.drawn + shortest.transcript { print(line) }
        guard let violation = shortest.violation else { return }
        print("seed \(result.seed): \(violation.invariant.rawValue): \(violation.text)")
        print("repeat it with: simulate \(runner.arguments) --seed \(result.seed)")
    }

    /// Runs many seeds, until a number of steps or the time limit is reached.
    private func many(_ runner: Runner, stepsMax: Int?) throws -> Runs {
        var runs = Runs(runner: runner)
        let (start, processorStart) = (clock.now, Self.processorSeconds)
        let limit = options.minutes.map { Duration.seconds($0 * 60) }
        let wanted = stepsMax ?? (limit == nil ? 1_000_000 : .max)
        let keepsHistory = history != nil
        let work = OrderedWork(from: options.seed ?? 1, jobs: options.jobs) { seed in
            try runner.run(seed: seed, keepsHistory: keepsHistory)
        }
        var nextReport = start + .seconds(10)
        try work.run { result in
            try keep(result)
            runs.summary.add(result)
            if clock.now > nextReport {
                nextReport = clock.now + .seconds(10)
                let line = "seed \(result.seed): \(runs.summary.steps) of \(wanted) steps\n"
                FileHandle.standardError.write(Data(line.utf8))
            }
            if result.violation != nil {
                runs.isFine = false
                try tell(result, runner)
                return false
            }
            return runs.summary.steps < wanted
                && limit.map { clock.now - start < $0 } ?? true
        }
        runs.seconds = Self.processorSeconds - processorStart
        return runs
    }

    private func mutations(_ show: (MutationResult) -> Void) throws -> [MutationResult] {
        let all = options.mutation.map { [$0] } ?? Mutation.all
        var results: [MutationResult] = []
        let work = OrderedWork(from: 0, jobs: options.jobs) { index -> MutationResult? in
            // Threads take further seeds before the last result is known.
            guard index < all.count else { return nil }
            let mutation = all[Int(index)]
            return try MutationResult.find(mutation, seeds: Self.seeds(for: mutation))
        }
        try work.run { result in
            guard let result else { return false }
            results.append(result)
            show(result)
            return results.count < all.count
        }
        return results
    }

    private func report(_ commit: String) throws -> Int32 {
        let steps = options.stepsMax ?? 1_000_000
        var kinds = [(Runner(), steps)]
        // Steps with the DynamoDB engine cost more, and 10^8 steps with the other stores have to
        // take less than 15 minutes.
        kinds.append((Runner(store: .dynamodb), min(steps / 20, 1_000_000) + 1))
        kinds += Runner.contracts.dropFirst().map {
            (Runner(contract: $0), min(steps / 50, 500_000) + 1)
        }
        var all: [Runs] = []
        for (runner, steps) in kinds {
            let runs = try many(runner, stepsMax: steps)
            guard runs.isFine else { return 1 }
            all.append(runs)
        }
        let rows = try mutations { _ in }
        let rotation = try RotationModel().explore()
        guard rotation.finding == nil else { return 1 }
        print(Page.text(commit: commit, all, rows, rotation), terminator: "")
        return 0
    }
}

/// Runs of one kind.
struct Runs {
    let runner: Runner
    var summary = Summary()
    /// Processor time in seconds.
    var seconds = 0.0
    var isFine = true
}
