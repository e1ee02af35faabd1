internal import Bytes
internal import JSON

/// Compares the actual results with the fixture's expectations.
struct FixtureAssertions {
    private let scope: PlaceholderScope
    private let shapes: PlaceholderShapes
    private let isStrict: Bool
    private let settings: FixtureSettings

    init(_ scope: PlaceholderScope, _ settings: FixtureSettings) {
        self.scope = scope
        shapes = settings.shapes(of: scope.contract)
        isStrict = settings.isStrict
        self.settings = settings
    }

    func judge(
        _ answer: FunctionAnswer, stsForms: [JSONObject], _ outcome: inout ReplayOutcome
    ) throws(FixtureFailure) {
        outcome.stsForms = stsForms.map(Self.readable)
        guard let json = answer.json else {
            let output = String(decoding: answer.result.output, as: UTF8.self)
            let form = isStrict ? "one line of compact JSON" : "JSON"
            let errors = String(decoding: answer.result.errors.suffix(1000), as: UTF8.self)
            outcome.problems.append("stdout is not \(form): \(output)")
            if !errors.isEmpty { outcome.problems.append("stderr: \(errors)") }
            if let problem = outcome.fixture.eventProblem { outcome.problems.append(problem) }
            return
        }
        try judge(json, &outcome)
        outcome.responseProblems = outcome.problems.count
        var failed = logProblems(answer) + stsProblems(outcome.stsForms)
        if answer.result.exit != scope.given.exit {
            failed.insert("exit \(answer.result.exit), expected \(scope.given.exit)", at: 0)
        }
        outcome.hasFailedChecks = !failed.isEmpty
        outcome.problems += failed
        // A refusal has the `given` of the route's own fixture.
        if !outcome.fixture.isOfTable {
            outcome.problems += scope.unused.map { "<\($0)> is defined but not used" }
        }
    }

    private func judge(
        _ json: JSON, _ outcome: inout ReplayOutcome
    ) throws(FixtureFailure) {
        guard let pattern = try outcome.fixture.response(settings) else {
            outcome.isNew = true
            outcome.update = Expectation.recorded(json, shapes: shapes, names: scope.names)
            outcome.problems.append("has no expected response")
            return
        }
        let expectation = self.expectation(pattern)
        let comparison = expectation.compare(json)
        guard !comparison.differences.isEmpty else { return }
        if let failure = FunctionAnswer.failure(in: json), pattern["errorType"] == nil {
            outcome.problems.append(failure)
        } else {
            outcome.problems += comparison.differences
            outcome.difference = (pattern, comparison.aligned)
        }
        if let problem = outcome.fixture.eventProblem { outcome.problems.append(problem) }
        let (before, now) = (FunctionAnswer.status(of: pattern), FunctionAnswer.status(of: json))
        if before != now { outcome.statusChange = (before, now) }
        outcome.update = expectation.updated(json, shapes: shapes, names: scope.names)
    }

    private func expectation(_ pattern: JSON) -> Expectation {
        let scope = scope
        return Expectation(pattern, shapes: shapes, isStrict: isStrict) { name in
            (try? scope.value(name)) ?? nil
        }
    }

    private func logProblems(_ answer: FunctionAnswer) -> [String] {
        let errors = String(decoding: answer.result.errors, as: UTF8.self)
        let lines = errors.split(separator: "\n")
        let log = lines.map { try? JSON.parse(String($0), limits: .event) }
        var problems: [String] = []
        if isStrict {
            problems = zip(lines, log).filter { $0.1?.objectValue == nil }.map {
                "stderr has a line that is not a JSON object: \($0.0)"
            }
        }
        guard let expected = scope.given.log else { return problems }
        guard expected.count == log.count else {
            return problems + [
                "expected \(expected.count) log line\(expected.count == 1 ? "" : "s"), "
                    + "found \(log.count): \(errors)"
            ]
        }
        for (pattern, line) in zip(expected, log) {
            for (name, value) in pattern.objectValue?.members ?? [] {
                problems += expectation(value).differences(from: line?[name] ?? .null)
                    .map { "log.\(name)\($0)" }
            }
        }
        return problems
    }

    private func stsProblems(_ forms: [JSONObject]) -> [String] {
        guard let script = scope.given.sts else {
            return forms.isEmpty
                ? [] : ["STS was called, but the fixture has no expectation for it"]
        }
        guard let last = forms.last else { return ["STS was not called"] }
        guard let asked = script.asked else { return [] }
        return expectation(asked).differences(from: .object(last)).map { "sts.asked.\($0)" }
    }

    /// A form with its policy as a tree.
    private static func readable(_ form: JSONObject) -> JSONObject {
        guard let text = form["Policy"]?.stringValue,
            let policy = try? JSON.parse(text, limits: .request)
        else { return form }
        var form = form
        form["Policy"] = policy
        return form
    }
}
