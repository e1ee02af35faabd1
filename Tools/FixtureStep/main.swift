import FunctionRuntime
import JSON

// A step of a fixture that no function can take (Events/README.md), described on standard input:
//
//     {"function": "signin", "event": "…", "clockMilliseconds": -3600000, "times": 1,
//      "environment": {…}}
//     {"account": "<userId>", "set": "disabled", "environment": {…}}
//
// With the first form a function answers with a shifted clock, `times` times. The second form has
// no output.

private let inputBytesMax = 17 << 20

private func refuse(_ problem: String) -> Never {
    _ = Descriptor.writeAll(Array("\(problem)\n".utf8), to: 2)
    FixtureStep.exit(64)
}

let description: JSON
do {
    description = try JSON.parse(
        try Descriptor.readAll(0, bytesMax: inputBytesMax), limits: .response)
} catch {
    refuse("no step is on standard input: \(error)")
}
var variables: [(name: String, value: String)] = []
for (name, value) in description["environment"]?.objectValue?.members ?? [] {
    variables.append((name, value.stringValue ?? ""))
}
let step = FixtureStep(environment: Environment(variables))
if let account = description["account"]?.stringValue, let change = description["set"]?.stringValue {
    do {
        try step.change(account: account, change)
    } catch {
        refuse("\(error)")
    }
} else if let function = description["function"]?.stringValue,
    let event = description["event"]?.stringValue,
    let milliseconds = description["clockMilliseconds"]?.int64Value
{
    let times = description["times"]?.int64Value ?? 1
    guard FixtureStep.has(function) else { refuse("\(function) is not a function of Latchkey") }
    FixtureStep.exit(
        step.run(function, event: event, clockMilliseconds: milliseconds, times: times))
} else {
    refuse("a step needs a function or an account")
}
