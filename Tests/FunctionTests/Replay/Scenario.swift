import Foundation
import JSON
import SQLiteStore
import TestSupport
import Time

/// One fixture from its preconditions to its answer, in a directory of its own.
final class Scenario {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The result of one event.
    struct Answer {
        let result: RunResult
        /// stdout, read strictly; nil when it is not one line of compact JSON.
        let json: JSON?

        /// The body without its envelope.
        var body: JSON? {
            guard let json, json["statusCode"] != nil, let text = json["body"]?.stringValue else {
                return self.json
            }
            return try? JSON.parse(text, limits: .event)
        }

        /// An answer of a direct invoke has no status: a refusal is known by its `error`.
        var status: Int64 {
            guard result.exit == 0 else { return 500 }
            if let status = json?["statusCode"]?.int64Value { return status }
            return json?["error"] == nil ? 200 : 400
        }

        var isSuccess: Bool { (200..<300).contains(status) }
    }

    let fixture: Fixture
    private let catalog: [Fixture]
    private let services: Services
    private let ledger: SecretLedger
    private let folder: TemporaryFolder
    private let id = UUID().uuidString
    private var scopeCount = 0

    init(
        _ fixture: Fixture, among catalog: [Fixture], services: Services, ledger: SecretLedger
    ) throws {
        self.fixture = fixture
        self.catalog = catalog
        self.services = services
        self.ledger = ledger
        folder = try TemporaryFolder()
        try folder.write(Array(services.applePEM.utf8), to: "apple.p8")
    }

    /// Everything that is wrong; empty when the answer is as the fixture says.
    func replay() -> [String] {
        do {
            let scope = try scope(of: fixture, shift: nil)
            let answer = try run(fixture, scope)
            noteKeyFile()
            var problems = try verdict(on: answer, scope)
            problems += try stsProblems(scope)
            problems += scope.unused.map { "<\($0)> is given and never used" }
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: What must come out

    private func verdict(on answer: Answer, _ scope: Scope) throws -> [String] {
        guard let json = answer.json else {
            return ["stdout is not one line of compact JSON: \(text(answer.result.output))"]
        }
        var problems: [String] = []
        if answer.result.exit != scope.given.exit {
            problems.append("exit \(answer.result.exit), expected \(scope.given.exit)")
        }
        let tokens = try ContractShapes.tokens(of: scope.given.contract)
        guard let expected = fixture.response else {
            let pattern = Expectation.recorded(json, tokens: tokens, names: scope.names)
            let isKept = fixture.record(pattern.pretty)
            return [
                isKept
                    ? "had no response; what came is recorded: look at it and commit it"
                    : "has no response, and none can be written"
            ]
        }
        let pattern = try JSON.parse(expected, limits: .event)
        let expectation = Expectation(pattern, tokens: tokens) { name in
            (try? scope.value(name)) ?? nil
        }
        let differences = expectation.differences(from: json)
        problems += differences
        if !differences.isEmpty { problems.append("the whole answer: \(json.text)") }
        return problems + logProblems(answer, scope, tokens)
    }

    private func logProblems(
        _ answer: Answer, _ scope: Scope, _ tokens: TokenShapes
    ) -> [String] {
        let lines = text(answer.result.errors).split(separator: "\n")
        let log = lines.map { try? JSON.parse(String($0), limits: .event) }
        var problems = zip(lines, log).filter { $0.1?.objectValue == nil }.map {
            "stderr has a line that is no JSON object: \($0.0)"
        }
        guard let expected = scope.given.log else { return problems }
        guard expected.count == log.count else {
            return problems + [
                "\(expected.count) log lines expected: \(text(answer.result.errors))"
            ]
        }
        for (pattern, line) in zip(expected, log) {
            for (name, value) in pattern.objectValue?.members ?? [] {
                let found = line?[name] ?? .null
                let expectation = Expectation(value, tokens: tokens) { name in
                    (try? scope.value(name)) ?? nil
                }
                problems += expectation.differences(from: found).map { "log.\(name)\($0)" }
            }
        }
        return problems
    }

    private func stsProblems(_ scope: Scope) throws -> [String] {
        let forms = services.sts.forms(of: stsPath(1))
        guard let script = scope.given.sts else {
            return forms.isEmpty ? [] : ["STS was asked, and nothing is given of it"]
        }
        guard let last = forms.last else { return ["STS was never asked"] }
        let problems = forms.flatMap { PolicyCheck.problems(in: $0) }
        guard let asked = script.asked else { return problems }
        let tokens = try ContractShapes.tokens(of: scope.given.contract)
        let expectation = Expectation(asked, tokens: tokens) { (try? scope.value($0)) ?? nil }
        return problems
            + expectation.differences(from: PolicyCheck.readable(last)).map { "sts.asked.\($0)" }
    }

    // MARK: What happens

    private func scope(of fixture: Fixture, shift: Span?) throws -> Scope {
        let given = try fixture.given.map { try Given($0) } ?? Given()
        // A fixture that is a step of another one is answered by its own script.
        scopeCount += 1
        let sts = services.sts.endpoint(
            of: stsPath(scopeCount), answering: given.sts?.answer ?? .accessDenied)
        return Scope(
            given, shift: shift, services: services, ledger: ledger,
            builtIn: [
                ("idp", services.identityProvider.url), ("case", id), ("directory", folder.path),
                ("sts", sts),
                ("appleKeyFile", folder.file("apple.p8")),
            ])
    }

    private func stsPath(_ scope: Int) -> String { "\(id)-\(scope)" }

    private func run(_ fixture: Fixture, _ scope: Scope) throws -> Answer {
        for step in scope.given.steps { try perform(step, scope) }
        guard let event = fixture.event else { throw Failure(description: "no event") }
        return try run(fixture.function, try scope.event(event), scope, label: fixture.name)
    }

    private func perform(_ step: Step, _ scope: Scope) throws {
        let shift = step.clock ?? scope.shift
        for round in 1...step.times {
            let isLast = round == step.times
            let answer: Answer
            switch step.action {
            case .account(let id, let change):
                let store = try SQLiteStore(path: folder.file("latchkey.db"), clock: .system)
                try Accounts.change(try scope.fill(id), to: change, in: store)
                continue
            case .fixture(let name):
                guard let other = catalog.first(where: { $0.name == name }) else {
                    throw Failure(description: "there is no fixture \(name)")
                }
                answer = try run(other, try self.scope(of: other, shift: shift))
            case .event(let function, let event):
                answer = try run(
                    function, try scope.fill(event).serialized, scope, shift: shift,
                    label: "a step to \(function)")
            case .request(let function, let method, let path, let body, let bearer):
                let event = GatewayEvent.make(
                    method: method, path: try scope.fill(path),
                    body: try body.map { try scope.fill($0) },
                    bearer: try bearer.map { try scope.fill($0) })
                answer = try run(
                    function, event.serialized, scope, shift: shift, label: "a step to \(function)")
            }
            guard step.statuses?.contains(answer.status) ?? answer.isSuccess else {
                throw Failure(
                    description:
                        "a step was answered \(answer.status): \(text(answer.result.output))")
            }
            if isLast { try save(step, answer, scope) }
        }
    }

    private func save(_ step: Step, _ answer: Answer, _ scope: Scope) throws {
        for (name, path) in step.saved {
            var found = answer.body
            for member in path.split(separator: ".") {
                found =
                    Int(member).map { index in
                        found?.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                    } ?? found?[String(member)]
            }
            guard let value = found?.stringValue else {
                throw Failure(description: "the answer of a step has no text at \(path)")
            }
            scope.save(value, as: name)
        }
    }

    private func run(
        _ function: String, _ input: [UInt8], _ scope: Scope, shift: Span? = nil, label: String
    ) throws -> Answer {
        let environment = try environment(scope)
        let result: RunResult
        if let shift = shift ?? scope.shift {
            result = ShiftedRun.run(function, input: input, environment: environment, clock: shift)
        } else {
            result = try process(function, input, environment)
        }
        let json = try? JSON.parse(result.output, limits: .event)
        let isCompact = json.map { $0.serialized + [0x0A] == result.output } ?? false
        let answer = Answer(result: result, json: isCompact ? json : nil)
        ledger.guardText("stderr of \(label)", result.errors)
        if answer.isSuccess, let body = answer.body, function != "authorizer" {
            ledger.add(answer: body)
        } else {
            ledger.guardText("answer of \(label)", result.output)
        }
        return answer
    }

    private func process(
        _ function: String, _ input: [UInt8], _ environment: [String: String]
    ) throws -> RunResult {
        var command = Command("\(services.executables)/\(function)")
        command.input = .bytes(input)
        command.environment = environment.map { (name: $0.key, value: $0.value) }
        let result = try ChildProcess(command.working(in: folder))
            .wait(secondsMax: Services.processSecondsMax)
        guard case .exit(let code) = result.end else {
            throw Failure(description: "\(function) ended by \(result.end)")
        }
        return RunResult(exit: code, output: result.output, errors: result.errorOutput)
    }

    private func environment(_ scope: Scope) throws -> [String: String] {
        var environment = BaseEnvironment.variables(contract: scope.given.contract)
        for (name, value) in scope.given.environment { environment[name] = value }
        environment = try environment.mapValues { try scope.fill($0) }
        for name in BaseEnvironment.secrets {
            environment[name].map { if !$0.hasPrefix("file:") { ledger.add(name, $0) } }
        }
        return environment
    }

    private func noteKeyFile() {
        guard let key = try? folder.read("latchkey.db.key"), key.count >= 16 else { return }
        ledger.add(key: key)
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
