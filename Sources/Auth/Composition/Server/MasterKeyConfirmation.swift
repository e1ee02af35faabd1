internal import AuthOperations
internal import FunctionRuntime
internal import Synchronization

/// Whether a server's master key belongs to its store. The store may not answer at the start, so
/// the readiness probe asks until it has an answer.
final class MasterKeyConfirmation: Sendable {
    private let isConfirmed = Atomic<Bool>(false)

    /// Once confirmed, the store is not asked again.
    func isRight(_ auth: AuthServices) -> Bool {
        if isConfirmed.load(ordering: .relaxed) { return true }
        guard (try? Self.matches(auth)) == true else { return false }
        isConfirmed.store(true, ordering: .relaxed)
        return true
    }

    /// Checks the key at the start of a server. If the store does not answer, `isRight` checks it
    /// later.
    static func check(
        _ auth: AuthServices, _ source: MasterKeySettings.Source?
    ) throws(StartFailure) {
        guard (try? matches(auth)) == false else { return }
        var file: String?
        if case .file(let database) = source { file = database + ".key" }
        let problem =
            wrongKey(file) + ": restore that key, or name it in MASTER_KEY_PREVIOUS. "
            + "To start anew, move the store away"
        throw StartFailure(problems: [problem])
    }

    /// - Parameter file: the file of the key, if it is not a setting.
    static func wrongKey(_ file: String?) -> String {
        "MASTER_KEY\(file.map { " (\(FilePath.absolute($0)))" } ?? "") is not the key under which "
            + "the store was written"
    }

    /// Whether the master key matches the store; true without a master key.
    private static func matches(_ auth: AuthServices) throws(AuthError) -> Bool {
        auth.hasMasterKey ? try auth.hasMasterKeyOfStore() : true
    }
}
