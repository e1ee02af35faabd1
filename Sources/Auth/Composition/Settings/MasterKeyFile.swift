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
        case file(OwnerOnlyFile.Failure)
    }

    static func key(
        beside database: String, random: RandomSource
    ) throws(Failure) -> SecretBytes {
        // Checked first: another process may create both meanwhile.
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
        guard !bytes.isEmpty else { throw isDatabase(database) ? .missing : .notADatabase }
        guard bytes.count >= MasterKey.bytesMin else { throw .tooShort }
        return SecretBytes(bytes)
    }

    /// An empty file counts as no database, as it does for SQLite.
    private static func hasData(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Only called before a failure: closing a descriptor of the database releases this process's
    /// SQLite locks.
    private static func isDatabase(_ path: String) -> Bool {
        // https://sqlite.org/fileformat.html section 1.3
        let header = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: header.count)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return read(descriptor, &start, start.count) == header.count && start == header
    }
}

extension MasterKeyFile.Failure {
    /// The message for the operator.
    var problem: String {
        switch self {
        case .missing:
            "MASTER_KEY: the key file beside the database is missing (its name with .key): "
                + "restore it, set MASTER_KEY to its contents, or move the database away to start "
                + "with a new one"
        case .tooShort:
            "MASTER_KEY: the key file beside the database must hold at least "
                + "\(MasterKey.bytesMin) bytes"
        case .file(.symbolicLink):
            "MASTER_KEY: the key file beside the database is a symbolic link: replace it by the "
                + "file, or set MASTER_KEY=file:PATH"
        case .file(.notARegularFile):
            "MASTER_KEY: the key file beside the database is not a regular file"
        case .file(.foreignOwner):
            "MASTER_KEY: the key file beside the database belongs to another user: chown it to the "
                + "user who runs this, or set MASTER_KEY=file:PATH"
        case .file(.openToOthers):
            "MASTER_KEY: other users can read or write the key file beside the database: if it "
                + "was not exposed, chmod 600; otherwise move it and the database away"
        case .file(.unreadable): "MASTER_KEY: the key file beside the database cannot be read"
        case .file(.unwritable):
            "MASTER_KEY: the key file beside the database cannot be created: check that "
                + "the folder exists and is writable"
        case .notADatabase: "STORE: the file is not an SQLite database that can be opened"
        }
    }
}
