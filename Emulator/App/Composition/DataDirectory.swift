internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorDynamoDB

/// `--data DIR`: the directory of all persistent state, if any.
struct DataDirectory: Sendable {
    /// nil when the state is in memory only.
    let path: String?
    private let lock: DirectoryLock?

    static let fileBytesMax = 64 << 20

    init(path: String?) throws {
        guard let path else {
            self.path = nil
            lock = nil
            return
        }
        guard let lock = try Self.lock(path) else {
            throw CommandFailure(
                "\(path) is in use by another emulator; "
                    + "use another --data directory, or --ephemeral"
            )
        }
        self.lock = lock
        Files.removeDrafts(in: path)
        self.path = Files.absolute(path)
    }

    /// nil if another emulator uses the directory.
    private static func lock(_ path: String) throws -> DirectoryLock? {
        do throws(FileFailure) {
            try Files.makeDirectory(path)
            return try DirectoryLock(path)
        } catch {
            throw CommandFailure(
                "the data directory \(path) cannot be used (\(error)); "
                    + "use another with --data DIR, or keep the state in memory with --ephemeral")
        }
    }

    func file(_ name: String) -> String? { path.map { "\($0)/\(name)" } }

    static let tablesName = "dynamodb.sqlite"

    var tables: StorageLocation { file(Self.tablesName).map { .file($0) } ?? .memory }

    /// The root key of issued credentials, which remain valid across restarts if the state is kept.
    func rootKey(_ random: RandomSource) throws -> SecretBytes {
        let fresh = random.bytes(32)
        guard let file = file("credentials.key") else { return SecretBytes(fresh) }
        if let bytes = try read(file) {
            guard bytes.count == fresh.count else {
                throw CommandFailure(
                    "\(file) is damaged; delete it to invalidate all issued credentials")
            }
            return SecretBytes(bytes)
        }
        try Files.write(fresh, to: file, mode: 0o600)
        return SecretBytes(fresh)
    }

    /// A small file that is always rewritten completely; empty if it does not exist.
    func document(
        _ name: String
    ) throws -> (
        path: String, saved: [UInt8],
        save: @Sendable (_ bytes: [UInt8]) throws(FileFailure) -> Void
    ) {
        guard let file = file(name) else { return (name, [], { _ in }) }
        return (
            file, try read(file) ?? [],
            { bytes throws(FileFailure) in try Files.write(bytes, to: file, mode: 0o600) }
        )
    }

    private func read(_ file: String) throws -> [UInt8]? {
        do throws(FileFailure) {
            return try Files.read(file, bytesMax: Self.fileBytesMax)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}
