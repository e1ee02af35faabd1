internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import Glibc

/// `<database>.key`: the master key of an embedded store, generated once and readable by its owner
/// only.
///
/// The key is always created before its database. A database without a key file is an error: the
/// key was lost, and a new key could not decrypt the contents. A file that another user could have
/// written or read is refused, because the key allows signing in as anyone.
enum MasterKeyFile {
    enum Failure: Error, Equatable, Sendable {
        case missing, tooShort
        /// The store's path is not a database, so no key is created.
        case notADatabase
        /// The database cannot be opened, with the number of the error (errno).
        case closedDatabase(Int32)
        case file(OwnerOnlyFile.Failure)
    }

    static func key(
        beside database: String, random: RandomSource
    ) throws(Failure) -> SecretBytes {
        // This is checked first, because another process may create both files in the meantime.
        let hasData = hasData(database)
        let path = database + ".key"
        let bytes: [UInt8]
        do throws(OwnerOnlyFile.Failure) {
            if let found = try OwnerOnlyFile.existing(path) {
                bytes = found
            } else if hasData {
                bytes = []
            } else {
                bytes = try OwnerOnlyFile.made(path) { random.bytes(MasterKey.bytesMin) }.bytes
            }
        } catch {
            throw .file(error)
        }
        guard !bytes.isEmpty else {
            throw try isDatabase(database) ? .missing : .notADatabase
        }
        guard bytes.count >= MasterKey.bytesMin else { throw .tooShort }
        return SecretBytes(bytes)
    }

    /// An empty file does not count as a database. SQLite treats it in the same way.
    private static func hasData(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Call this only before a failure: closing a descriptor of the database releases this
    /// process's SQLite locks.
    private static func isDatabase(_ path: String) throws(Failure) -> Bool {
        // https://sqlite.org/fileformat.html section 1.3
        let header = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: header.count)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .closedDatabase(errno) }
        defer { close(descriptor) }
        return read(descriptor, &start, start.count) == header.count && start == header
    }
}

extension MasterKeyFile.Failure {
    /// The message for the operator.
    func problem(_ database: String) -> String {
        let path = database + ".key"
        return switch self {
        case .missing:
            "MASTER_KEY: the key file beside the database is missing "
                + "(\(FilePath.absolute(path))): restore it, set MASTER_KEY to its contents, or "
                + "move the database away to start with a new one"
        case .tooShort:
            "MASTER_KEY: \(FilePath.absolute(path)) must hold at least \(MasterKey.bytesMin) bytes"
        case .file(let failure): "MASTER_KEY: " + failure.explanation(path) + failure.keyRemedy
        case .notADatabase:
            "STORE: \(FilePath.absolute(database)) is not an SQLite database that can be opened"
        case .closedDatabase(let code):
            "STORE: \(FilePath.absolute(database)) cannot be opened "
                + "(\(String(cString: strerror(code)))): start latchkey as the user who made it"
        }
    }
}

extension OwnerOnlyFile.Failure {
    fileprivate var keyRemedy: String {
        switch self {
        case .unreadable, .unwritable: ""
        case .symbolicLink: ": replace it by the file, or set MASTER_KEY=file:PATH"
        case .notARegularFile: ": restore the file, or set MASTER_KEY=file:PATH"
        case .foreignOwner: ": chown it, or set MASTER_KEY=file:PATH"
        case .openToOthers:
            ": if it was not exposed, chmod 600; otherwise move it and the database away"
        }
    }
}
