internal import Bytes
internal import EmulatorBase
internal import EmulatorLambda
internal import Synchronization

/// The result of one run of a function.
package struct RunResult: Sendable {
    let exit: Int32
    let output: [UInt8]
    let errors: [UInt8]
    /// False if the process ended without reading the event from standard input.
    let hasReadInput: Bool

    package init(exit: Int32, output: [UInt8], errors: [UInt8], hasReadInput: Bool = true) {
        self.exit = exit
        self.output = output
        self.errors = errors
        self.hasReadInput = hasReadInput
    }

    /// Whether the process failed without reading its event, as the usual Lambda runtimes do
    /// without a Runtime API.
    var needsRuntimeAPI: Bool { exit != 0 && !hasReadInput && output.isEmpty }
}

/// Runs programs to their end, blocking the calling thread.
final class ProcessRunner: Sendable {
    private let supervisor: ProcessSupervisor
    private let secondsMax: Int

    private static let outputBytesMax = 16 << 20

    init(_ supervisor: ProcessSupervisor, secondsMax: Int) {
        self.supervisor = supervisor
        self.secondsMax = secondsMax
    }

    private struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var stopped: String?
    }

    /// Calls back after that many milliseconds, on the thread that reads the output of processes.
    func after(_ milliseconds: Int, _ action: @escaping @Sendable () -> Void) {
        supervisor.timer(action).schedule(afterMilliseconds: milliseconds)
    }

    /// - Parameter onOutput: called when the process has written to standard output.
    func run(
        _ path: String, environment: [(name: String, value: String)], directory: String?,
        input: [UInt8], onOutput: @escaping @Sendable () -> Void = {}
    ) throws(FixtureFailure) -> RunResult {
        let state = SharedState()
        let ending = BlockingPromise<ProcessEnd>()
        let process = supervisor.start(
            ProcessConfiguration(
                [path], environment: environment, directory: directory, input: input,
                output: { bytes in
                    state.take { $0.output += bytes }
                    onOutput()
                },
                error: { bytes in state.take { $0.errors += bytes } },
                ended: { ending.give($0) }))
        state.onOverflow = { process.kill() }
        let seconds = secondsMax
        let deadline = supervisor.timer {
            state.stop("did not end in \(seconds) s")
            process.kill()
        }
        deadline.schedule(afterMilliseconds: seconds * 1000)
        let end = ending.take()
        deadline.cancel()
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let stopped = state.value.stopped { throw FixtureFailure("\(name) \(stopped)") }
        switch end.reason {
        case .status(let exit):
            return RunResult(
                exit: exit, output: state.value.output, errors: state.value.errors,
                hasReadInput: end.hasReadInput)
        case .signal(let signal):
            throw FixtureFailure("\(name) was ended by signal \(signal)\(tail(state.value.errors))")
        case .notStarted(let code):
            throw FixtureFailure("\(path) cannot be started: \(ErrnoText.text(code))")
        }
    }

    private func tail(_ errors: [UInt8]) -> String {
        errors.isEmpty ? "" : ": " + String(decoding: errors.suffix(1000), as: UTF8.self)
    }

    /// The state that the callbacks fill.
    private final class SharedState: Sendable {
        private let state = Mutex(State())
        private let overflow = Mutex<(@Sendable () -> Void)?>(nil)

        var value: State { state.withLock { $0 } }

        var onOverflow: (@Sendable () -> Void)? {
            get { overflow.withLock { $0 } }
            set { overflow.withLock { $0 = newValue } }
        }

        func stop(_ reason: String) { state.withLock { $0.stopped = $0.stopped ?? reason } }

        func take(_ add: (inout State) -> Void) {
            let isTooMuch = state.withLock { state in
                guard state.stopped == nil else { return false }
                add(&state)
                guard state.output.count + state.errors.count > outputBytesMax else { return false }
                state.stopped = "wrote more than \(outputBytesMax >> 20) MB"
                return true
            }
            if isTooMuch { onOverflow?() }
        }
    }
}

/// The directory of the functions' executables.
package struct Executables: Sendable {
    package let directory: String

    package init(directory: String) { self.directory = directory }

    /// `directory/NAME`, or `directory/NAME/bootstrap` as in a package for Lambda.
    package func path(of function: String) -> String? {
        guard Fixture.isLegalFunction(function) else { return nil }
        return ["\(directory)/\(function)", "\(directory)/\(function)/bootstrap"]
            .first { Files.isExecutable($0) }
    }

    /// The names of all files that could be functions.
    var functions: [String] {
        Files.entries(directory).filter { name in
            path(of: name) != nil && !["emulator", Self.stepToolName].containsText(name)
        }
    }

    /// The project's program for steps that no function can perform: beside its functions, or
    /// beside this program.
    func stepTool() -> String? {
        let own = Self.besideThisProgram.map { ["\($0)/\(Self.stepToolName)"] } ?? []
        return (["\(directory)/\(Self.stepToolName)"] + own).first { Files.isExecutable($0) }
    }

    package static let stepToolName = "fixture-step"

    /// The directory of the running program, without links.
    package static var besideThisProgram: String? {
        let path = Files.absolute("/proc/self/exe")
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}

extension Fixture {
    /// Whether Lambda accepts the text as a function's name.
    package static func isLegalFunction(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F
            }
    }
}
