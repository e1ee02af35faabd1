internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import JOSE
internal import JSON
internal import Time

/// Runs one fixture, from its setup to its response, in a temporary directory.
final class FixtureRun {
    let fixture: Fixture
    let context: ReplayEnvironment
    let directory: TemporaryDirectory
    private let id: String
    private var scopeCount = 0
    /// nil if the functions use the store of the folder's environment.
    var tables: (any ReplayTables)?
    /// Whether the store and the directory are still unchanged.
    private var isFresh = true
    /// The services of the template; nil until a function needs them.
    private var deployed: (any DeployedFunctions)?
    /// Gets the store calls of the judged request. nil before that request, and if the calls are
    /// not observed.
    private var observer: (any StoreCallObserver)?

    init(_ fixture: Fixture, _ context: ReplayEnvironment) throws(FixtureFailure) {
        self.fixture = fixture
        self.context = context
        id = Hex.encode(context.random.bytes(16))
        do throws(FileFailure) {
            directory = try TemporaryDirectory(named: "emulator-replay")
        } catch {
            throw FixtureFailure("cannot create a directory to run in: \(error)")
        }
        try FixtureFiles.write(context.applePEM, to: appleKeyFile)
    }

    private var appleKeyFile: String { directory.file("apple.p8") }

    var table: String { "replay_\(id)" }

    func replay(_ meter: CallMeter? = nil) -> ReplayOutcome {
        var outcome = ReplayOutcome(fixture)
        defer { clean() }
        if let problem = fixture.unintendedEventProblem {
            outcome.problems = [problem]
            return outcome
        }
        do throws(FixtureFailure) {
            let given = try setup(of: fixture)
            if !given.isForAnyDeployment, let template = context.template,
                try template.target(of: fixture.function, []).isAnother
            {
                outcome.isSkipped = true
                return outcome
            }
            tables = given.isReplayedInTables ? context.tables : nil
            try tables?.create(table)
            let scope = try scope(of: fixture, shift: nil)
            try prepare(scope)
            let isMeasured = observe(by: meter)
            let answer = try ask(fixture, scope, context.judged)
            outcome.cost = isMeasured ? meter?.cost : nil
            noteSecretFiles()
            let forms = context.sts.forms(of: stsPath(1))
            try FixtureAssertions(scope, context.settings)
                .judge(answer, stsForms: forms, &outcome)
        } catch {
            outcome.problems.append(error.description)
        }
        return outcome
    }

    /// The observer gets the store calls of the following runs. Returns false if the calls are not
    /// known.
    @discardableResult
    func observe(by observer: (any StoreCallObserver)?) -> Bool {
        let isKnown = tables?.observe(id, by: observer) == true
        self.observer = isKnown ? observer : nil
        return isKnown
    }

    func clean() {
        observe(by: nil)
        tables?.delete(table)
        deployed?.stop()
    }

    func setup(of fixture: Fixture) throws(FixtureFailure) -> FixtureSetup {
        try fixture.given.map { json throws(FixtureFailure) in try FixtureSetup(json) }
            ?? FixtureSetup()
    }

    func scope(of fixture: Fixture, shift: Span?) throws(FixtureFailure) -> PlaceholderScope {
        let given = try setup(of: fixture)
        // A fixture that is a step of another one has its own STS script.
        scopeCount += 1
        let path = stsPath(scopeCount)
        let sts: String
        do {
            sts = try context.sts.endpoint(
                of: path, answering: given.sts?.answer ?? .unexpected)
        } catch {
            throw FixtureFailure("STS cannot start: \(error)")
        }
        var builtIn = [
            (name: "idp", value: context.identityProvider.url), ("case", id),
            ("directory", directory.path), ("sts", sts), ("appleKeyFile", appleKeyFile),
        ]
        builtIn += tables?.placeholders(of: table) ?? []
        return PlaceholderScope(
            given, stsPath: path, shift: shift, context: context, builtIn: builtIn)
    }

    private func stsPath(_ scope: Int) -> String { "\(id)-\(scope)" }

    private func noteSecretFiles() {
        for name in context.settings.secrets.files {
            guard let key = FixtureFiles.read(directory.file(name)), key.count >= 16 else {
                continue
            }
            context.leakDetector.add(key: key)
        }
    }
}

// Runs the steps and the event.
extension FixtureRun {
    private func run(
        _ fixture: Fixture, _ scope: PlaceholderScope, _ executables: Executables
    ) throws(FixtureFailure) -> FunctionAnswer {
        try prepare(scope)
        return try ask(fixture, scope, executables)
    }

    func prepare(_ scope: PlaceholderScope) throws(FixtureFailure) {
        for step in scope.given.steps { try perform(step, scope) }
        if let issuer = scope.given.sts?.issuer { try trust(issuer, scope) }
    }

    func ask(
        _ fixture: Fixture, _ scope: PlaceholderScope, _ executables: Executables
    ) throws(FixtureFailure) -> FunctionAnswer {
        guard let event = fixture.event else { throw FixtureFailure("no event") }
        let filled = try scope.event(event, routing: routing(to: fixture.function, scope))
        return try run(fixture.function, filled, scope, executables, label: fixture.name)
    }

    /// The routes of the template; none for a fixture of another contract, because the template
    /// lacks that contract's routes.
    private func routing(to function: String, _ scope: PlaceholderScope) -> ShortEvent.Routing? {
        guard let template = context.template, scope.given.contract == nil else { return nil }
        return { method, target throws(FixtureFailure) in
            try template.route(to: function, method, target)
        }
    }

    /// STS verifies the issuer's tokens with the currently published keys.
    private func trust(
        _ issuer: STSScript.Issuer, _ scope: PlaceholderScope
    ) throws(FixtureFailure) {
        let event = try ShortEvent(
            issuer.request, at: "sts.issuer", routing: routing(to: issuer.function, scope)
        ).event
        let answer = try run(
            issuer.function, event.serialized, scope, label: "the keys of \(issuer.name)")
        do {
            try context.sts.trust(
                issuer.name, try KeySet(jwks: answer.body ?? .null), at: scope.stsPath)
        } catch {
            let output = String(decoding: answer.result.output, as: UTF8.self)
            throw FixtureFailure("sts.issuer: no keys in \(output)")
        }
    }

    private func perform(_ step: FixtureStep, _ scope: PlaceholderScope) throws(FixtureFailure) {
        var last: FunctionAnswer?
        rounds: for round in 1...step.times {
            // The step tool repeats a step itself, so it is started only once.
            let answers = try answers(to: step, scope)
            for answer in answers {
                guard step.statuses?.contains(answer.status) ?? answer.isSuccess else {
                    let output =
                        answer.json.flatMap(FunctionAnswer.failure)
                        ?? String(decoding: answer.result.output, as: UTF8.self)
                    throw FixtureFailure("a step failed with status \(answer.status): \(output)")
                }
            }
            last = answers.last
            if answers.count > 1 || round == step.times { break rounds }
        }
        for (name, path) in step.saved {
            guard let value = last?.text(at: path) else {
                throw FixtureFailure("the response of a step has no string at \(path)")
            }
            scope.save(value, as: name)
        }
    }

    /// One response, or one for each repetition; none if the step is not an event.
    private func answers(to step: FixtureStep, _ scope: PlaceholderScope) throws(FixtureFailure)
        -> [FunctionAnswer]
    {
        let shift = step.clock ?? scope.shift
        func ask(_ function: String, _ event: JSON) throws(FixtureFailure) -> [FunctionAnswer] {
            let label = "a step to \(function)"
            let input = event.serialized
            if let shift {
                return try run(
                    function, input, scope, shift: shift, times: step.times, label: label)
            }
            if step.times > 1, context.template == nil, context.executables.stepTool() != nil,
                let answers = try run(function, input, scope, times: step.times, label: label)
            {
                return answers
            }
            return [try run(function, input, scope, label: label)]
        }
        defer { isFresh = false }
        switch step.action {
        case .account(let id, let change):
            try self.change(account: try scope.fill(id), change, scope)
            return []
        case .fixture(let name):
            guard let other = context.catalog.fixture(name) else {
                throw FixtureFailure("fixture \(name) not found")
            }
            if isFresh, step.times == 1, context.template == nil {
                return [try begin(with: other, shift: shift)]
            }
            let scope = try self.scope(of: other, shift: shift)
            return [try run(other, scope, context.executables)]
        case .event(let function, let event):
            let event = try scope.event(event)
            return try ask(
                function, try ShortEvent.expanded(event, routing: routing(to: function, scope)))
        case .request(let function, let request):
            let event = try ShortEvent(
                try scope.fill(request), at: "steps", routing: routing(to: function, scope)
            ).event
            return try ask(function, event)
        }
    }

    /// Copies the state after another fixture, instead of running that fixture and its steps again.
    private func begin(
        with other: Fixture, shift: Span?
    ) throws(FixtureFailure) -> FunctionAnswer {
        let key = StartingPoints.Key(
            fixture: other.name, clock: shift?.milliseconds, isInTables: tables != nil)
        let point = try context.startingPoints.point(key, at: context.clock.now()) {
            () throws(FixtureFailure) in
            try FixtureRun(other, context).startingPoint(shift, tables)
        }
        do throws(FileFailure) {
            try Files.copy(contentsOf: point.directory.path, to: directory.path)
        } catch {
            throw FixtureFailure("a step cannot be copied: \(error)")
        }
        try tables?.copy(point.table, to: table)
        return point.answer
    }

    private func startingPoint(
        _ shift: Span?, _ tables: (any ReplayTables)?
    ) throws(FixtureFailure) -> StartingPoint {
        self.tables = tables
        try tables?.create(table)
        let time = context.clock.now()
        do throws(FixtureFailure) {
            let answer = try run(
                fixture, try scope(of: fixture, shift: shift), context.executables)
            return StartingPoint(answer, in: directory, table: table, of: tables, at: time)
        } catch {
            tables?.delete(table)
            throw error
        }
    }

    private func run(
        _ function: String, _ input: [UInt8], _ scope: PlaceholderScope,
        _ executables: Executables? = nil, label: String
    ) throws(FixtureFailure) -> FunctionAnswer {
        let executables = executables ?? context.executables
        if let shift = scope.shift {
            let answers = try run(function, input, scope, shift: shift, times: 1, label: label)
            guard let answer = answers.last else { throw FixtureFailure("no answer") }
            return answer
        }
        if let template = context.template {
            let target = try template.target(of: function, input)
            return answer(try run(target, of: function, template, scope), of: function, label)
        }
        guard let path = executables.path(of: function) else {
            throw FixtureFailure(
                "executable \(function) not found in \(executables.directory)"
                    + NearestName.hint(function, among: executables.functions))
        }
        let observer = observer
        let result = try context.runner.run(
            path, environment: try environment(scope, of: function), directory: directory.path,
            input: input, onOutput: { observer?.noteAnswer() })
        return answer(result, of: function, label)
    }

    /// Runs an executable with the event as standard input; runs the function as on
    /// Lambda if it needs the Runtime API, or is not an executable.
    private func run(
        _ target: ReplayTarget, of folder: String, _ template: any TemplateFunctions,
        _ scope: PlaceholderScope
    ) throws(FixtureFailure) -> RunResult {
        if let path = target.executable {
            let result = try context.runner.run(
                path, environment: try environment(scope, of: folder), directory: directory.path,
                input: target.event)
            guard result.needsRuntimeAPI else { return result }
        }
        return try services(of: template).invoke(
            target.function, target.event, environment: try overrides(scope, of: folder))
    }

    private func services(
        of template: any TemplateFunctions
    ) throws(FixtureFailure) -> any DeployedFunctions {
        if let deployed { return deployed }
        let services = try template.deploy()
        deployed = services
        return services
    }

    /// The variables that differ from the template's. The AWS region, credentials and endpoints
    /// belong to the emulator, unless the fixture sets others.
    private func overrides(
        _ scope: PlaceholderScope, of folder: String
    ) throws(FixtureFailure) -> [(name: String, value: String?)] {
        let given = scope.given.environment
        let all: [(name: String, value: String?)] = try environment(scope, of: folder)
            .filter { name, _ in
                !name.isSame(as: "PATH") && !name.has(prefix: "AWS_")
                    || given.contains { $0.name.isSame(as: name) }
            }.map { ($0.name, $0.value) }
        return all + given.filter { $0.value == nil }.map { ($0.name, nil) }
    }

    /// Parses the response, and collects its secrets or checks it for leaks.
    func answer(_ result: RunResult, of function: String, _ label: String) -> FunctionAnswer {
        let answer = FunctionAnswer(result, isStrict: context.settings.isStrict)
        let leakDetector = context.leakDetector
        leakDetector.guardText("stderr of \(label)", result.errors)
        let isDiscreet = context.settings.secrets.discreetFunctions.contains {
            $0.isSame(as: function)
        }
        if answer.isSuccess, let body = answer.body, !isDiscreet {
            leakDetector.add(answer: body)
        } else {
            let text = isDiscreet ? result.output : answer.withoutCookiesOfRedirect
            leakDetector.guardText("answer of \(label)", text)
        }
        return answer
    }

    func environment(
        _ scope: PlaceholderScope, of function: String?
    ) throws(FixtureFailure) -> [(name: String, value: String)] {
        var variables = JSONObject([("PATH", .string(context.path))])
        for (name, value) in context.settings.environment { variables[name] = .string(value) }
        if tables != nil {
            for (name, value) in context.storeEnvironment { variables[name] = .string(value) }
        }
        for (name, value) in scope.given.environment {
            variables[name] = value.map { .string($0) }
        }
        var environment: [(name: String, value: String)] = []
        for (name, value) in variables.members {
            var value = try scope.fill(value.stringValue ?? "")
            if let function, let tables {
                value = tables.setting(
                    value, of: function, in: scope.contract, run: observer == nil ? nil : id)
            }
            environment.append((name, value))
        }
        for name in context.settings.secrets.variables {
            guard let value = environment.first(where: { $0.name.isSame(as: name) })?.value,
                !value.hasPrefix("file:")
            else { continue }
            context.leakDetector.add(name, value)
        }
        return environment
    }
}
