internal import Bytes
internal import EmulatorBase
internal import JSON

// Faults of the store during the judged request (docs/faults.md, "Faults of a fixture").
extension FixtureRun {
    /// Lets each call of the request fail in each way, always from the same state.
    func findWrongAnswers() throws(FixtureFailure) -> FaultOutcome {
        var outcome = FaultOutcome(fixture: fixture)
        defer { clean() }
        let given = try setup(of: fixture)
        guard given.isReplayedInTables, let tables = context.tables else { return outcome }
        self.tables = tables
        let saved = "\(table)_saved"
        try tables.create(table)
        try tables.create(saved)
        defer { tables.delete(saved) }
        let scope = try scope(of: fixture, shift: nil)
        try prepare(scope)
        try tables.copy(table, to: saved)

        let meter = CallMeter(
            windowMilliseconds: Self.windowMilliseconds, cachedPartitions: [],
            after: context.runner.after)
        let usual = try ask(scope, observedBy: meter)
        guard let own = try fixture.response(context.settings),
            matches(usual, own, scope)
        else {
            outcome.problems = ["does not pass without a fault"]
            return outcome
        }
        let judge = FaultJudge(
            writeCount: meter.calls.count { call in
                call.isDone && !call.isAfterAnswer
                    && StoreWrites.matters(call.call, context.settings)
            },
            usual: usual, repeated: try ask(scope, observedBy: nil),
            unavailable: context.settings.unavailable,
            isOwn: { self.matches($0, own, scope) })
        for call in meter.calls where !call.isAfterAnswer {
            for fault in StoreFault.allCases where fault.applies(to: call.call) {
                try tables.replace(table, withCopyOf: saved)
                outcome.count += 1
                outcome.problems += try problems(call.place, fault, judge, scope).map {
                    "\(call.place) \(fault.text): \($0)"
                }
            }
        }
        return outcome
    }

    /// If each call follows the previous one within this time, the calls count as simultaneous.
    private static var windowMilliseconds: Int { 20 }

    private func problems(
        _ place: CallPlace, _ fault: StoreFault, _ judge: FaultJudge, _ scope: PlaceholderScope
    ) throws(FixtureFailure) -> [String] {
        let injector = FaultInjector(place, fault, context.settings)
        let first = try ask(scope, observedBy: injector)
        guard injector.isHit else { return [] }
        var problems: [String] = []
        if let problem = judge.problem(first, injector.writes) {
            problems.append("\(problem) \(Self.text(first))")
        }
        let second = try ask(scope, observedBy: nil)
        if let problem = judge.problem(second, after: first, injector.writes) {
            problems.append("\(problem) \(Self.text(second))")
        }
        return problems
    }

    private func ask(
        _ scope: PlaceholderScope, observedBy observer: (any StoreCallObserver)?
    ) throws(FixtureFailure) -> FunctionAnswer {
        observe(by: observer)
        return try ask(fixture, scope, context.judged)
    }

    private func matches(
        _ answer: FunctionAnswer, _ pattern: JSON, _ scope: PlaceholderScope
    ) -> Bool {
        guard let json = answer.json else { return false }
        let expectation = Expectation(
            pattern, shapes: context.settings.shapes(of: scope.contract),
            isStrict: context.settings.isStrict
        ) { name in (try? scope.value(name)) ?? nil }
        return expectation.differences(from: json).isEmpty
    }

    private static func text(_ answer: FunctionAnswer) -> String {
        let text = String(decoding: answer.result.output, as: UTF8.self).trimmed
        return text.isEmpty
            ? "no output, exit status \(answer.result.exit)" : String(text.prefix(300))
    }
}

extension ReplayTables {
    fileprivate func replace(
        _ table: String, withCopyOf other: String
    ) throws(FixtureFailure) {
        delete(table)
        try create(table)
        try copy(other, to: table)
    }
}
