internal import CPosix
internal import Glibc
package import Time

/// Runs programs for a function. The function itself may not start programs (`ProcessHardening`).
package struct ProgramHelper: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        case timedOut, tooLarge, unavailable
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

    /// Runs a program without arguments, and returns what it writes to standard output.
    package func run(
        _ path: String, input: [UInt8], outputBytesMax: Int, within limit: Span
    ) throws(Failure) -> [UInt8] {
        var code: Int64 = 0
        let output = [UInt8](unsafeUninitializedCapacity: outputBytesMax) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            code = latchkey_run_program(
                descriptor, path, input, input.count, start, buffer.count,
                Int32(clamping: limit.milliseconds))
            count = Int(max(0, code))
        }
        switch code {
        case 0...: return output
        case -Int64(ETIMEDOUT): throw .timedOut
        case -Int64(EMSGSIZE): throw .tooLarge
        default: throw .unavailable
        }
    }
}
