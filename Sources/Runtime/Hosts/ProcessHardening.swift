internal import Bytes
internal import CPosix

/// Rights that a function gives up before it reads any input, to limit the damage of a
/// vulnerability in it or in a library.
///
/// The measures are independent of each other. One that the kernel or a sandbox refuses is left
/// out, and the function runs without it.
package enum ProcessHardening {
    /// The value of the setting `PROCESS_HARDENING`.
    package enum Level: String, Sendable, CaseIterable {
        case full
        /// All measures except the filter of system calls.
        case unfiltered
        /// No measures, for debuggers and profilers.
        case off
    }

    /// The limit is enough for a listening function: for the connections of its clients and its
    /// store, and for its own calls.
    private static let openFilesMax: UInt64 = 65_536 + 4_096
    static let memoryMiBRange = 64...1_048_576

    /// nil for an unknown value.
    package static func level(_ environment: Environment) -> Level? {
        guard let text = environment["PROCESS_HARDENING"] else { return .full }
        return Level.allCases.first { $0.rawValue.isSame(as: text) }
    }

    /// The value is nil without a limit; `isValid` is false unless it is a number in the range.
    static func memoryMiBMax(_ environment: Environment) -> (value: Int?, isValid: Bool) {
        guard let text = environment["PROCESS_MEMORY_MIB_MAX"] else { return (nil, true) }
        guard text.utf8.allSatisfy(\.isDigit), let value = Int(text),
            memoryMiBRange.contains(value)
        else { return (nil, false) }
        return (value, true)
    }

    /// Call this before a second thread starts. A wrong setting is reported later, with all others,
    /// and counts as the default here.
    package static func apply(_ environment: Environment) {
        let level = level(environment) ?? .full
        if let mebibytes = memoryMiBMax(environment).value {
            _ = latchkey_limit_data(UInt64(mebibytes) << 20)
        }
        guard level != .off else { return }
        _ = latchkey_limit_core()
        _ = latchkey_limit_open_files(openFilesMax)
        _ = latchkey_hide_memory()
        _ = latchkey_refuse_privileges()
        if level == .full { _ = latchkey_filter_calls() }
    }
}
