internal import EmulatorBase
internal import EmulatorLambda
internal import Synchronization

extension ReplayCommand {
    /// `emulator replay --faults`
    static func findWrongAnswers(
        of fixtures: [Fixture], _ replay: Replay, jobs: Int, to output: ToolOutput
    ) -> Int32 {
        let outcomes = Mutex<[FaultOutcome]>([])
        WorkerThreads.run(fixtures.count, threads: jobs) { index in
            let outcome = replay.faults(of: fixtures[index])
            outcomes.withLock { outcomes in
                outcomes.append(outcome)
                output.progress?("\(outcomes.count) of \(fixtures.count) fixtures")
            }
        }
        output.progress?("")
        let all = outcomes.withLock { $0 }.filter { $0.count > 0 || !$0.problems.isEmpty }
            .sorted { $0.fixture.name < $1.fixture.name }
        for outcome in all where !outcome.problems.isEmpty {
            output.print(outcome.fixture.name)
            for problem in outcome.problems { output.print("    \(problem)") }
        }
        let wrong = all.reduce(0) { $0 + $1.problems.count }
        output.print(
            "\(all.reduce(0) { $0 + $1.count }) faults in \(all.count) of \(fixtures.count) "
                + "fixtures, \(wrong) wrong answers")
        return wrong == 0 ? ExitStatus.success : ExitStatus.failure
    }
}
