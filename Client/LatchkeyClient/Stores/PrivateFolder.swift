internal import Foundation

/// A folder that only its owner can read.
struct PrivateFolder: Sendable {
    let path: String

    /// Whether the folder exists. Throws unless it is a folder that only this user can write to.
    func isPresent() throws(StoreError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw .system("the folder cannot be examined")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else { throw .failed("the folder is a link, or other users can access it") }
        return true
    }

    func make() throws(StoreError) {
        if try isPresent() { return }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system("the folder cannot be made")
        }
        _ = try isPresent()
    }

    /// Opens a file that belongs to this user and is not a link.
    func file(_ name: String, flags: Int32) throws(StoreError) -> Descriptor {
        let number = unsafe open("\(path)/\(name)", flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .system("\(name) cannot be opened") }
        let file = Descriptor(number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { throw .failed("\(name) is not a file of this user") }
        return file
    }

    /// nil if there is no file.
    func read(_ name: String) throws(StoreError) -> Data? {
        let file: Descriptor
        do throws(StoreError) {
            file = try self.file(name, flags: O_RDONLY)
        } catch {
            if errno == ENOENT { return nil }
            throw error
        }
        return try file.readAll(bytesMax: StoredRecord.bytesMax)
    }

    /// Writes another file, and renames it, so that the old or the new content survives a crash.
    func write(_ bytes: Data, to name: String) throws(StoreError) {
        let temporary = try file("\(name).new", flags: O_WRONLY | O_CREAT | O_TRUNC)
        try temporary.writeAll(bytes)
        guard unsafe rename("\(path)/\(name).new", "\(path)/\(name)") == 0 else {
            throw .system("\(name) cannot be replaced")
        }
        try synchronize()
    }

    func remove(_ name: String) throws(StoreError) {
        guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw .system("\(name) cannot be removed")
        }
        try synchronize()
    }

    /// A rename is durable only once its folder is synchronised.
    private func synchronize() throws(StoreError) {
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw .system("the folder cannot be opened") }
        try Descriptor(number).synchronize()
    }
}

/// An open file, closed with its last reference.
final class Descriptor: Sendable {
    private let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// - Returns: false if another holder has the lock.
    func lock() throws(StoreError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .system("a file cannot be locked") }
        }
        return true
    }

    func unlock() { _ = flock(number, LOCK_UN) }

    func readAll(bytesMax: Int) throws(StoreError) -> Data {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let added = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(
                    number, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            }
            if added == 0 { break }
            if added < 0 {
                if errno == EINTR { continue }
                throw .system("a file cannot be read")
            }
            count += added
        }
        return Data(bytes[..<count])
    }

    func writeAll(_ data: Data) throws(StoreError) {
        let bytes = Array(data)
        var count = 0
        while count < bytes.count {
            let added = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(
                    number, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            }
            if added < 0 {
                if errno == EINTR { continue }
                throw .system("a file cannot be written")
            }
            count += added
        }
        try synchronize()
    }

    func synchronize() throws(StoreError) {
        guard fsync(number) == 0 else { throw .system("a file cannot be made durable") }
    }
}

extension StoreError {
    /// The error for C's `errno`.
    fileprivate static func system(_ what: String) -> StoreError {
        .failed("\(what): error \(errno)")
    }
}
