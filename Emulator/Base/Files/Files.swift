internal import Glibc

/// Why a file operation failed, as text for the user.
package struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let code: Int32

    init(_ path: String, code: Int32 = errno) {
        self.path = path
        self.code = code
    }

    package var isMissing: Bool { code == ENOENT }
    package var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// Reads and writes whole, small files.
package enum Files {
    package static func read(_ path: String, bytesMax: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path) }
        defer { close(descriptor) }
        return try read(descriptor, path, bytesMax: bytesMax)
    }

    /// Reads standard input to its end.
    package static func readStandardInput(bytesMax: Int) throws(FileFailure) -> [UInt8] {
        try read(0, "standard input", bytesMax: bytesMax)
    }

    private static func read(
        _ descriptor: Int32, _ path: String, bytesMax: Int
    ) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(path) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= bytesMax else { throw FileFailure(path, code: EFBIG) }
            bytes += piece[..<count]
        }
    }

    private static let draftSuffix = ".part"

    /// Writes atomically: to a temporary file that is then renamed.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o644
    ) throws(FileFailure) {
        let draft = "\(path).\(getpid())\(draftSuffix)"
        // O_EXCL prevents the reuse of an existing file with other permissions, and following a
        // symbolic link.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileFailure(path) }
        var failure: FileFailure?
        if !writeAll(bytes, to: descriptor) { failure = FileFailure(path) }
        close(descriptor)
        if failure == nil, rename(draft, path) != 0 { failure = FileFailure(path) }
        if let failure {
            unlink(draft)
            throw failure
        }
    }

    /// Removes temporary files of a killed process. The caller must hold the directory's lock.
    package static func removeDrafts(in directory: String) {
        guard let entries = opendir(directory) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { $0 }
            }
            guard name.suffix(draftSuffix.utf8.count).elementsEqual(draftSuffix.utf8) else {
                continue
            }
            unlink("\(directory)/\(String(decoding: name, as: UTF8.self))")
        }
    }

    /// Writes to a descriptor that remains open, such as standard output.
    @discardableResult
    package static func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = Array(bytes)
        var written = 0
        return bytes.withUnsafeBytes { buffer in
            while written < buffer.count {
                let count = Glibc.write(
                    descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    package static func mode(of path: String) throws(FileFailure) -> UInt32 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure(path) }
        return status.st_mode & 0o7777
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
    package static func isExecutable(_ path: String) -> Bool {
        access(path, X_OK) == 0 && isRegular(path)
    }

    /// Creates missing parent directories too. `mode` applies to all that are created.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(FileFailure) {
        var end = path.utf8.startIndex
        while end != path.utf8.endIndex {
            let next = path.utf8.index(after: end)
            end = path.utf8[next...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
            guard mkdir(String(path[..<end]), mode) == 0 || errno == EEXIST else {
                throw FileFailure(path)
            }
        }
    }

    /// Resolves symbolic links and relative components.
    package static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

/// A lock on a directory for one process, from `init` to the end of the process.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// nil if another process holds the lock.
    package init?(_ directory: String) throws(FileFailure) {
        let path = "\(directory)/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path) }
        // `isHeld` in another process may hold the lock for a moment.
        var attempts = 5
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            attempts -= 1
            guard attempts > 0 else {
                close(descriptor)
                return nil
            }
            usleep(10_000)
        }
    }

    /// Whether a process holds the lock on a directory.
    package static func isHeld(_ directory: String) -> Bool {
        let descriptor = open("\(directory)/lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    // The kernel releases the lock with the descriptor, also if the process is killed.
    deinit { close(descriptor) }
}
