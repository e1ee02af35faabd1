internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import Glibc

/// `<database>.key`: the master key of an embedded store, generated once and readable by its owner
/// only.
///
/// The key is always created before its database. A database without one has lost it, and a new key
/// could not decrypt its contents, so that is an error. A file that another user could have written
/// or read is refused, because the key allows signing in as anyone.
enum MasterKeyFile {
    enum Failure: Error, Equatable, Sendable {
        case missing, tooShort, unreadable, unwritable
        case symbolicLink, notARegularFile, foreignOwner, openToOthers
        /// The store's path is not a database, so no key is created.
        case notADatabase
    }

    static func key(
        beside database: String, random: RandomSource
    ) throws(Failure) -> SecretBytes {
        // Checked first: another process may create both meanwhile.
        let hasData = hasData(database)
        let path = database + ".key"
        if let key = try existing(path) { return key }
        guard !hasData else { throw isDatabase(database) ? .missing : .notADatabase }
        return try made(path, random: random)
    }

    /// nil if there is none yet. Waits for the lock, so that a key is not used before it is on the
    /// disk.
    private static func existing(_ path: String) throws(Failure) -> SecretBytes? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw .symbolicLink }
            guard errno == ENOENT else { throw .unreadable }
            return nil
        }
        defer { close(descriptor) }
        try checkOwnership(descriptor)
        return try locked(descriptor, LOCK_SH) { () throws(Failure) in try contents(descriptor) }
    }

    /// If several processes start at once, the first to get the lock writes the key. No temporary
    /// file is used, because a kill would leave one with a key in it; an empty key file means that
    /// its creator was killed.
    private static func made(_ path: String, random: RandomSource) throws(Failure) -> SecretBytes {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw errno == ELOOP ? .symbolicLink : .unwritable }
        defer { close(descriptor) }
        try checkOwnership(descriptor)
        return try locked(descriptor, LOCK_EX) { () throws(Failure) in
            if let key = try contents(descriptor) { return key }
            let bytes = random.bytes(MasterKey.bytesMin)
            guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
                syncFolder(of: path)
            else {
                // Otherwise the next process would find a truncated key.
                ftruncate(descriptor, 0)
                throw .unwritable
            }
            return SecretBytes(bytes)
        }
    }

    /// Checks the open descriptor, because the path could be replaced.
    private static func checkOwnership(_ descriptor: Int32) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard status.st_uid == geteuid() else { throw .foreignOwner }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
    }

    private static func contents(_ descriptor: Int32) throws(Failure) -> SecretBytes? {
        guard let bytes = try? SecretFile.read(descriptor) else { throw .unreadable }
        guard !bytes.isEmpty else { return nil }
        guard bytes.count >= MasterKey.bytesMin else { throw .tooShort }
        return SecretBytes(bytes)
    }

    private static func locked<Value>(
        _ descriptor: Int32, _ lock: Int32, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        while flock(descriptor, lock) != 0 {
            guard errno == EINTR else { throw .unreadable }
        }
        // Closing the descriptor releases the lock.
        return try body()
    }

    /// An empty file counts as none: SQLite treats it as a new database.
    private static func hasData(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Only called before a failure: closing a descriptor of the database drops SQLite's locks of
    /// this process.
    private static func isDatabase(_ path: String) -> Bool {
        // https://sqlite.org/fileformat.html section 1.3
        let header = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: header.count)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return read(descriptor, &start, start.count) == header.count && start == header
    }

    /// A synced file can still be lost if its directory entry was not synced.
    private static func syncFolder(of path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // EINVAL: the file system does not support syncing directories.
        return fsync(descriptor) == 0 || errno == EINVAL
    }
}

extension MasterKeyFile.Failure {
    /// The message for the operator.
    var problem: String {
        switch self {
        case .missing:
            "MASTER_KEY: the key file beside the database is missing (its name with .key): put it "
                + "back, or set MASTER_KEY to what it held, or move the database away to start "
                + "anew"
        case .tooShort:
            "MASTER_KEY: the key file beside the database must hold at least "
                + "\(MasterKey.bytesMin) bytes"
        case .symbolicLink:
            "MASTER_KEY: the key file beside the database is a symbolic link: replace it by the file, "
                + "or set MASTER_KEY=file:PATH"
        case .notARegularFile:
            "MASTER_KEY: the key file beside the database is not a regular file"
        case .foreignOwner:
            "MASTER_KEY: the key file beside the database belongs to another user: chown it to the "
                + "user who runs this, or set MASTER_KEY=file:PATH"
        case .openToOthers:
            "MASTER_KEY: other users can read or write the key file beside the database: if it "
                + "was not exposed, chmod 600; otherwise move it and the database away"
        case .unreadable: "MASTER_KEY: the key file beside the database cannot be read"
        case .unwritable:
            "MASTER_KEY: the key file beside the database cannot be made; does the folder exist "
                + "and admit writing?"
        case .notADatabase: "STORE: the file is not an SQLite database that can be opened"
        }
    }
}
