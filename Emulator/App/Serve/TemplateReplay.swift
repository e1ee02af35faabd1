internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
package import EmulatorReplay
internal import JSON
internal import Synchronization
internal import Time

/// The functions of `emulator replay --template`: each fixture gets its own emulator, with its
/// state in memory.
package struct TemplateReplay: TemplateFunctions {
    private let options: ServeOptions
    private let loaded: LoadedTemplate
    /// The maximum number of listed names, because the same message may appear for many fixtures.
    private static let namesMax = 12

    /// - Parameters:
    ///   - executables: a directory to search before the folders of the functions' code.
    ///   - isStrict: all services verify signatures and policies.
    package init(
        _ templates: [String], parameters: [(name: String, value: String)], executables: String?,
        isStrict: Bool
    ) throws {
        var options = ServeOptions()
        options.templates = templates
        options.parameters = parameters
        options.executables = executables
        options.data = nil
        (options.port, options.awsPort, options.controlPort, options.smtpPort) = (0, 0, 0, 0)
        options.watches = false
        options.isQuiet = true
        options.isStrict = isStrict
        self.options = options
        loaded = try TemplateFiles(templates, parameters: parameters).read(.standard)
    }

    /// A folder has the name of a function, its logical ID, or the name of its executable. Fixtures
    /// in other folders belong to the function in `Metadata.Emulator.Replay`, or to the function of
    /// the request's route: they were recorded with a template that has several functions in one.
    package func target(
        of folder: String, _ event: [UInt8]
    ) throws(FixtureFailure) -> ReplayTarget {
        if let function = loaded.template.function(called: folder) ?? function(built: folder) {
            return target(function, event, isAnother: false)
        }
        guard let others = loaded.otherFixtures,
            let function = loaded.template.function(called: others.function)
        else {
            guard let function = function(routedTo: event) else { throw missing(folder) }
            return target(function, event, isAnother: true)
        }
        return target(function, others.named(folder, event), isAnother: true)
    }

    private func function(routedTo event: [UInt8]) -> FunctionResource? {
        guard let event = try? JSON.parse(event, limits: .event),
            let method = event["requestContext"]?["http"]?["method"]?.stringValue
                ?? event["httpMethod"]?.stringValue,
            let path = event["rawPath"]?.stringValue ?? event["path"]?.stringValue
        else { return nil }
        return EventSample(
            loaded.template, settings: loaded.settings, clock: .system, random: .system
        ).function(answering: method, path)
    }

    private func missing(_ folder: String) -> FixtureFailure {
        let names = loaded.template.functions.map(\.name.text)
        let list =
            names.count > Self.namesMax
            ? "it has \(names.count) others" : "functions: \(names.joined(separator: ", "))"
        return FixtureFailure(
            "the template has no function \(folder)\(NearestName.hint(folder, among: names))"
                + "; \(list). A function of another template needs another --template.")
    }

    package func route(
        to folder: String, _ method: String, _ target: String
    ) throws(FixtureFailure) -> String? {
        guard let function = loaded.template.function(called: folder) ?? function(built: folder)
        else { return nil }
        let sample = EventSample(
            loaded.template, settings: loaded.settings, clock: .system, random: .system)
        do throws(EventSample.Failure) {
            return try sample.httpRoute(to: function, method, target)
        } catch {
            switch error {
            case .noRoute(let leading):
                throw FixtureFailure.noRoute(method, target, to: folder, leading)
            }
        }
    }

    package func deploy() throws(FixtureFailure) -> any DeployedFunctions {
        do {
            return try FixtureEmulator(options)
        } catch {
            throw FixtureFailure("the services of the template cannot start: \(error)")
        }
    }

    private func target(
        _ function: FunctionResource, _ event: [UInt8], isAnother: Bool
    ) -> ReplayTarget {
        let candidates = function.candidates(in: options.executables)
        // Without the emulator's credentials no policy would apply to a process.
        let isProcess = !function.isInterpretedInline && !options.isStrict
        let executable = isProcess ? candidates.first { Files.isExecutable($0) } : nil
        return ReplayTarget(
            function: function.name.text, executable: executable.map { Files.absolute($0) },
            event: event, isAnother: isAnother)
    }

    /// The function with an executable of this name, or with its code in such a folder, if it is
    /// the only one: `bin/signin`, or `signin/bootstrap` as in a package.
    private func function(built executable: String) -> FunctionResource? {
        let found = loaded.template.functions.filter { function in
            guard LanguageRuntime(function.runtime) == nil else { return false }
            let path = function.candidates(in: options.executables).first { Files.isExecutable($0) }
            let parts = (path ?? function.codePath).split(separator: "/").filter {
                $0 != "bootstrap"
            }
            return parts.last?.isSame(as: executable) == true
        }
        return found.count == 1 ? found.first : nil
    }
}

/// `Metadata.Emulator.Replay`: the function for fixtures in folders that have no function of the
/// same name. It contains the operations of several functions.
struct OtherFixtures: Sendable {
    let function: String
    /// The member of a direct event that gets the name of the fixture's folder; nil for none.
    let member: String?

    /// A direct event has no route, so the name of the folder is added to it.
    fileprivate func named(_ folder: String, _ bytes: [UInt8]) -> [UInt8] {
        guard let member, let event = try? JSON.parse(bytes, limits: .event),
            var object = event.objectValue, object[member] == nil,
            !["requestContext", "httpMethod", "routeArn", "methodArn", "detail-type"]
                .contains(where: { object[$0] != nil })
        else { return bytes }
        object[member] = .string(folder)
        return JSON.object(object).serialized
    }
}

/// The emulator of one fixture.
private final class FixtureEmulator: DeployedFunctions {
    private let emulator: RunningEmulator
    private let environment = Mutex<[(name: String, value: String?)]>([])

    init(_ options: ServeOptions) throws {
        emulator = try RunningEmulator(
            options, Console(print: { _ in }, complain: { _ in }, isTerminal: false))
    }

    func invoke(
        _ function: String, _ event: [UInt8], environment: [(name: String, value: String?)]
    ) throws(FixtureFailure) -> RunResult {
        let services = emulator.services
        let isSame = self.environment.withLock { last in
            defer { last = environment }
            return last.elementsEqual(environment) { $0 == $1 }
        }
        if !isSame { services.override(environment) }
        let before = services.log.lines(after: 0, linesMax: 0).last
        let answer = BlockingPromise<InvocationResult>()
        services.functions.invoke(function, InvocationRequest(payload: event)) { answer.give($0) }
        let result = answer.take()
        let errors = services.log.lines(after: before, linesMax: .max).lines
            .filter { $0.requestID?.isSame(as: result.requestID) == true }
            .map(\.text).filter { !LogFrame.isPart($0) }.map { $0 + "\n" }.joined()
        func ended(_ exit: Int32, _ output: [UInt8]) -> RunResult {
            RunResult(exit: exit, output: output + [0x0A], errors: Array(errors.utf8))
        }
        switch result.outcome {
        case .answered(let body): return ended(0, body)
        case .failed(let body): return ended(1, body)
        case .throttled(let reason):
            throw FixtureFailure("\(function) did not run: \(reason)")
        case .unknownFunction: throw FixtureFailure("the template has no function \(function)")
        }
    }

    func stop() { emulator.stop() }
}

extension EmulatorServices {
    /// Changes the environment of all functions, for processes that start from now on.
    fileprivate func override(_ environment: [(name: String, value: String?)]) {
        let changed = environment.map(\.name)
        functions.replace(
            with: (stack?.definitions ?? []).map { definition in
                var definition = definition
                definition.environment.removeAll { changed.containsText($0.name) }
                definition.environment += environment.compactMap { name, value in
                    value.map { (name, $0) }
                }
                return definition
            })
    }
}
