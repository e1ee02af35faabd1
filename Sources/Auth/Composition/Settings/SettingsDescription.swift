internal import Bytes
internal import FunctionRuntime
internal import Synchronization

/// Collects the findings of `Assembly.build`, which then stops: the names of secrets from every
/// call, and the problems from the last call.
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
    /// A placeholder for every secret that would be fetched, so that none is reported as invalid.
    static let unfetched = SecretSource { _ throws(SecretFailure) in
        SecretBytes([UInt8](repeating: UInt8(ascii: "x"), count: 32))
    }
}
