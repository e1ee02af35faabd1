internal import CPosix
internal import FunctionRuntime
internal import Glibc

/// A file of mode 0600 that appears under its name only when it is complete and synced. Until then
/// it has no name, so that a killed process leaves nothing behind. On file systems without such
/// files (some network file systems), and to replace a file, it is written beside its final place
/// with the ending `.unfinished`.
final class PrivateFile {
    private static let ending = ".unfinished"

    let path: String
    private let descriptor: Int32
    private let isUnnamed: Bool
    private var isFinished = false

    /// - Parameter replacing: whether an existing file is replaced.
    init(_ path: String, replacing: Bool = false) throws(CommandFailure) {
        self.path = path
        if !replacing, access(path, F_OK) == 0 { throw Self.exists(path) }
        let unfinished = path + Self.ending
        try Self.removeAbandoned(unfinished)
        let unnamed = replacing ? -1 : latchkey_unnamed_open(folder(of: path))
        isUnnamed = unnamed >= 0
        if isUnnamed {
            descriptor = unnamed
            return
        }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = open(unfinished, flags, 0o600)
        guard opened >= 0 else { throw Self.failure(path) }
        descriptor = opened
        // Tells other processes that this one is running.
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else { throw failure() }
    }

    /// Removes the file of a process that was killed. A running one has the lock.
    private static func removeAbandoned(_ unfinished: String) throws(CommandFailure) {
        let descriptor = open(unfinished, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure("\(unfinished): another process is writing it")
        }
        // This removes only the temporary name. A process that was killed in `finish` may already
        // have linked the file to its final name, which remains.
        unlink(unfinished)
    }

    deinit {
        if !isFinished, !isUnnamed { unlink(path + Self.ending) }
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard Descriptor.writeAll(bytes, to: descriptor) else { throw failure() }
    }

    /// Gives the file its name.
    ///
    /// - Parameter replacing: as for `init`. A file that was created in the meantime is not
    ///   replaced.
    func finish(replacing: Bool = false) throws(CommandFailure) {
        guard fsync(descriptor) == 0 else { throw failure() }
        if replacing {
            guard rename(path + Self.ending, path) == 0 else { throw failure() }
        } else {
            // Unlike `rename` it never replaces a file.
            let isLinked =
                isUnnamed
                ? latchkey_unnamed_link(descriptor, path) == 0
                : link(path + Self.ending, path) == 0
            guard isLinked else {
                if errno == EEXIST { throw Self.exists(path) }
                throw failure()
            }
            if !isUnnamed { unlink(path + Self.ending) }
        }
        isFinished = true
        syncFolder(of: path)
    }

    private static func exists(_ path: String) -> CommandFailure {
        CommandFailure("\(path) exists already, and is not overwritten: give another name")
    }

    private func failure() -> CommandFailure { Self.failure(path) }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(errno)))")
    }

    static func write(
        _ bytes: [UInt8], to path: String, replacing: Bool = false
    ) throws(CommandFailure) {
        let file = try PrivateFile(path, replacing: replacing)
        try file.write(bytes)
        try file.finish(replacing: replacing)
    }
}

/// A synced file can still be lost if its directory entry was not synced. That some file systems do
/// not support syncing a directory is not a failure.
func syncFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
}

func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
