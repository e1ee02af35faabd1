internal import Glibc

/// A file beside the database that only its owner can read and write, created once.
///
/// A file that another user could have read or written is refused.
enum OwnerOnlyFile {
    enum Failure: Error, Equatable, Sendable {
        /// The value is the number of the error (errno).
        case unreadable(Int32), unwritable(Int32)
        case symbolicLink, notARegularFile, foreignOwner, openToOthers
    }

    /// nil if there is none yet. Waits for the lock, so that the contents are on disk before they
    /// are used.
    static func existing(_ path: String) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw .symbolicLink }
            guard errno == ENOENT else { throw .unreadable(errno) }
            return nil
        }
        defer { close(descriptor) }
        try checkOwnership(descriptor, path)
        return try locked(descriptor, LOCK_SH) { () throws(Failure) in try contents(descriptor) }
    }

    /// If several processes start at once, the first to get the lock writes the file. No temporary
    /// file is used, because a killed process would leave it behind with the secret. An empty file
    /// means that its creator was killed.
    ///
    /// - Returns: the contents of the file, and whether this call wrote it.
    static func made(
        _ path: String, _ make: () -> [UInt8]?
    ) throws(Failure) -> (bytes: [UInt8], isNew: Bool) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw errno == ELOOP ? .symbolicLink : .unwritable(errno) }
        defer { close(descriptor) }
        try checkOwnership(descriptor, path)
        return try locked(descriptor, LOCK_EX) { () throws(Failure) in
            if let found = try contents(descriptor) { return (found, false) }
            guard let bytes = make() else { throw .unwritable(EIO) }
            let count = write(descriptor, bytes, bytes.count)
            guard count == bytes.count, fsync(descriptor) == 0, syncFolder(of: path) else {
                // A short write has no error of its own.
                let code = (0..<bytes.count).contains(count) ? ENOSPC : errno
                // Otherwise the next process would find an incomplete secret.
                ftruncate(descriptor, 0)
                throw .unwritable(code)
            }
            return (bytes, true)
        }
    }

    /// Checks the open descriptor, because the path could be replaced.
    private static func checkOwnership(
        _ descriptor: Int32, _ path: String
    ) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard status.st_uid == geteuid() || isOfTheFoldersOwner(status.st_uid, path) else {
            throw .foreignOwner
        }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
    }

    /// root may use the files of a service in the service's folder. The service could replace the
    /// database there anyway.
    private static func isOfTheFoldersOwner(_ owner: uid_t, _ path: String) -> Bool {
        var status = stat()
        return geteuid() == 0 && stat(folder(of: path), &status) == 0 && status.st_uid == owner
    }

    private static func contents(_ descriptor: Int32) throws(Failure) -> [UInt8]? {
        guard let bytes = try? SecretFile.read(descriptor, named: "") else {
            throw .unreadable(EIO)
        }
        return bytes.isEmpty ? nil : bytes
    }

    private static func locked<Value>(
        _ descriptor: Int32, _ lock: Int32, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        while flock(descriptor, lock) != 0 {
            guard errno == EINTR else { throw .unreadable(errno) }
        }
        // Closing the descriptor releases the lock.
        return try body()
    }

    private static func folder(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// A synced file can still be lost if its directory entry was not synced.
    private static func syncFolder(of path: String) -> Bool {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // EINVAL: the file system does not support syncing directories.
        return fsync(descriptor) == 0 || errno == EINVAL
    }
}

extension OwnerOnlyFile.Failure {
    /// - Parameter path: the path of the file.
    func explanation(_ path: String) -> String {
        let path = FilePath.absolute(path)
        return switch self {
        case .unreadable(ENOTDIR):
            "\(path) cannot be created (\(Self.words(ENOTDIR))): choose another place with "
                + "STORE=sqlite:PATH"
        case .unreadable(let code):
            "\(path) cannot be read (\(Self.words(code))): start latchkey as the user who made it"
        case .unwritable(ENOENT):
            "\(path) cannot be created (\(Self.words(ENOENT))): make its folder, or choose another "
                + "with STORE=sqlite:PATH"
        case .unwritable(ENOSPC), .unwritable(EDQUOT):
            "\(path) cannot be written, because its disk is full: make room there, or choose "
                + "another place with STORE=sqlite:PATH"
        case .unwritable(let code):
            "\(path) cannot be created (\(Self.words(code))): let the user who runs this (id "
                + "\(geteuid())) write in its folder, or choose another with STORE=sqlite:PATH"
        case .symbolicLink: "\(path) is a symbolic link"
        case .notARegularFile: "\(path) is not a regular file"
        case .foreignOwner:
            "\(path) belongs to another user than the one who runs this (id \(geteuid()))"
        case .openToOthers: "\(path) can be read or written by other users"
        }
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

enum FilePath {
    /// Returns the path from the root: a relative path says nothing without the folder in which the
    /// process was started.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        let start = String(cString: folder)
        return (start.hasSuffix("/") ? start : start + "/") + path
    }
}
