internal import EmulatorBase
internal import JSON
internal import Time

// Steps that need the project's step tool: with another clock, repeated steps, and changes of an
// account.
extension FixtureRun {
    /// Runs the function with another clock, `times` times, by the project's step tool.
    func run(
        _ function: String, _ input: [UInt8], _ scope: PlaceholderScope, shift: Span, times: Int,
        label: String
    ) throws(FixtureFailure) -> [FunctionAnswer] {
        let result = try runStepTool(function, input, scope, shift: shift, times: times)
        return try answers(in: result, of: function, times: times, label: label)
    }

    /// Runs the function several times in one process; nil if the step tool does not contain the
    /// function.
    func run(
        _ function: String, _ input: [UInt8], _ scope: PlaceholderScope, times: Int, label: String
    ) throws(FixtureFailure) -> [FunctionAnswer]? {
        let result = try runStepTool(function, input, scope, shift: .zero, times: times)
        if result.exit == Self.refusedByStepTool, result.output.isEmpty { return nil }
        return try answers(in: result, of: function, times: times, label: label)
    }

    private static let refusedByStepTool: Int32 = 64

    private func runStepTool(
        _ function: String, _ input: [UInt8], _ scope: PlaceholderScope, shift: Span, times: Int
    ) throws(FixtureFailure) -> RunResult {
        try runStepTool(
            [
                "function": .string(function),
                "event": .string(String(decoding: input, as: UTF8.self)),
                "clockMilliseconds": .number(shift.milliseconds), "times": .number(times),
            ], try environment(scope, of: function))
    }

    private func answers(
        in result: RunResult, of function: String, times: Int, label: String
    ) throws(FixtureFailure) -> [FunctionAnswer] {
        guard times > 1 else { return [answer(result, of: function, label)] }
        let lines = result.output.split(separator: 0x0A)
        guard lines.count == times else {
            let errors = String(decoding: result.errors.suffix(1000), as: UTF8.self)
            throw FixtureFailure("\(lines.count) of \(times) steps were answered: \(errors)")
        }
        return lines.map { line in
            let one = RunResult(exit: result.exit, output: line + [0x0A], errors: result.errors)
            return answer(one, of: function, label)
        }
    }

    func change(
        account: String, _ change: String, _ scope: PlaceholderScope
    ) throws(FixtureFailure) {
        let result = try runStepTool(
            ["account": .string(account), "set": .string(change)],
            try environment(scope, of: nil))
        guard result.exit == 0 else {
            let errors = String(decoding: result.errors, as: UTF8.self)
            throw FixtureFailure("\(Executables.stepToolName): \(errors)")
        }
    }

    /// Runs the project's step tool, which uses the same files as the functions, but can set the
    /// clock and change an account.
    private func runStepTool(
        _ description: JSONObject, _ environment: [(name: String, value: String)]
    ) throws(FixtureFailure) -> RunResult {
        guard let path = context.executables.stepTool() else {
            throw FixtureFailure(
                "a step with a clock or an account needs the program "
                    + "\(Executables.stepToolName), which is not in "
                    + context.executables.directory)
        }
        var description = description
        description["environment"] = .object(
            JSONObject(environment.map { ($0.name, .string($0.value)) }))
        return try context.runner.run(
            path, environment: environment, directory: directory.path,
            input: description.serialized)
    }
}
