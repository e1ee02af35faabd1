internal import Bytes
internal import FunctionRuntime
internal import Synchronization

/// Takes what `Assembly.build` finds in the settings, which then ends: the secrets of
/// each call, and the problems of the last.
final class SettingsDescription: Sendable {
    private let found = Mutex(SettingsFindings(secretNames: [], problems: []))

    var findings: SettingsFindings { found.withLock { $0 } }

    func take(_ reader: SettingsReader) {
        found.withLock { found in
            found.secretNames += reader.secretNames
            found.problems = reader.problems
        }
    }
}

extension SecretSource {
    /// Stands for every secret that would be fetched, so that none is said to be wrong.
    static let unfetched = SecretSource { _ throws(SecretFailure) in
        SecretBytes([UInt8](repeating: UInt8(ascii: "x"), count: 32))
    }
}
