internal import EmulatorBase
internal import EmulatorLambda
internal import EmulatorReplay
internal import Synchronization

/// The interpreters on this machine's PATH.
final class Interpreters: Sendable {
    private let supervisor: ProcessSupervisor
    private let found = Mutex<[LanguageRuntime: String]>([:])

    private static let scriptBytesMax = 1 << 16
    private static let secondsMax = 20

    init(_ supervisor: ProcessSupervisor) { self.supervisor = supervisor }

    /// nil if the PATH has none.
    func path(of language: LanguageRuntime) -> String? {
        found.withLock { found in
            if let path = found[language] { return path }
            let path = EnvironmentVariables.variable("PATH") ?? "/usr/bin:/bin"
            let program = path.split(separator: ":").lazy
                .map { "\($0)/\(language.interpreter)" }.first { Files.isExecutable($0) }
            found[language] = program.map { resolved($0, language) }
            return found[language]
        }
    }

    /// Resolves a wrapper script of a version manager, such as pyenv or asdf. The script looks up
    /// the version at each start, which is slow. So it is run only once, and the program that it
    /// starts is then used directly.
    private func resolved(_ program: String, _ language: LanguageRuntime) -> String {
        guard let bytes = try? Files.read(program, bytesMax: Self.scriptBytesMax),
            bytes.starts(with: "#!".utf8)
        else { return program }
        let output = Output()
        let ending = BlockingPromise<Bool>()
        let process = supervisor.start(
            ProcessConfiguration(
                [program] + language.askingForPath, environment: Variables.all,
                output: { output.append($0) }, error: { _ in },
                ended: { ending.give($0.reason == .status(0)) }))
        let deadline = supervisor.timer { process.kill() }
        deadline.schedule(afterMilliseconds: Self.secondsMax * 1000)
        defer { deadline.cancel() }
        guard ending.take() else { return program }
        return Files.isExecutable(output.firstLine) ? output.firstLine : program
    }

    private final class Output: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func append(_ more: ArraySlice<UInt8>) { bytes.withLock { $0 += more } }

        var firstLine: String {
            String(decoding: bytes.withLock { $0 }.prefix { $0 != 0x0A }, as: UTF8.self)
        }
    }
}
