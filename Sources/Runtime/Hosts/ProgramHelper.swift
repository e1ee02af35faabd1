internal import CPosix
internal import Glibc
package import Time

/// Runs programs for a function. The function itself may not start programs (`ProcessHardening`).
package struct ProgramHelper: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        case timedOut, tooLarge, unavailable
        /// There is no such file.
        case missing
        /// The file is not an executable that can be started, or the interpreter of a script is
        /// missing.
        case notExecutable
        /// The program ended without output.
        case exited(status: Int)
        case killed(signal: Int)
    }

    private let descriptor: Int32

    /// The variables that programs get in addition to those with the prefix. None of them is a
    /// setting of the function.
    private static let variables = ["PATH", "HOME", "LANG", "TZ"]

    /// Starts the helper; nil if that is not possible. Call before `FunctionMain.run`.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of further variables that programs get.
    ///   - withheld: variables with the prefix that programs do not get.
    package static func start(
        _ environment: Environment, passing prefix: String, except withheld: [String]
    ) -> ProgramHelper? {
        Descriptor.reserveStandardStreams()
        var lines = variables.compactMap { name in environment[name].map { "\(name)=\($0)" } }
        for variable in environment.variables(withPrefix: prefix)
        where !withheld.contains(prefix + variable.name) {
            lines.append("\(prefix)\(variable.name)=\(variable.value)")
        }
        var pointers = lines.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        let descriptor = latchkey_start_helper(&pointers)
        return descriptor >= 0 ? ProgramHelper(descriptor: descriptor) : nil
    }

    /// Runs a program without arguments, and returns what it writes to standard output. Fails if
    /// that is nothing.
    package func run(
        _ path: String, input: [UInt8], outputBytesMax: Int, within limit: Span
    ) throws(Failure) -> [UInt8] {
        var code: Int64 = 0
        var ending = latchkey_ending()
        let output = [UInt8](unsafeUninitializedCapacity: outputBytesMax) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            code = latchkey_run_program(
                descriptor, path, input, input.count, start, buffer.count,
                Int32(clamping: limit.milliseconds), &ending)
            count = Int(max(0, code))
        }
        switch code {
        case 0: throw Failure(ending, of: path)
        case 1...: return output
        case -Int64(ETIMEDOUT): throw .timedOut
        case -Int64(EMSGSIZE): throw .tooLarge
        default: throw .unavailable
        }
    }
}

extension ProgramHelper.Failure {
    /// Why a file is not a program that can be started; nil if it probably is one.
    package static func beforeStart(of path: String) -> Self? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .notExecutable
        }
        return status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0 ? nil : .notExecutable
    }

    fileprivate init(_ ending: latchkey_ending, of path: String) {
        switch (ending.kind, ending.code) {
        case (LATCHKEY_NOT_STARTED, EAGAIN), (LATCHKEY_NOT_STARTED, ENOMEM): self = .unavailable
        // The missing file can also be the interpreter of a script.
        case (LATCHKEY_NOT_STARTED, _): self = Self.beforeStart(of: path) ?? .notExecutable
        case (LATCHKEY_EXITED, let status): self = .exited(status: Int(status))
        case (LATCHKEY_KILLED, let signal): self = .killed(signal: Int(signal))
        default: self = .unavailable
        }
    }
}
