internal import Glibc

/// Large contents as files of a directory, each named by its number: no name comes from outside.
struct ContentFiles: Sendable {
    private let directory: String

    init(directory: String) throws(StorageFailure) {
        self.directory = directory
        guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .files(errno) }
    }

    private func path(_ id: Int64) -> String { "\(directory)/\(id)" }

    /// Under another name until it is whole.
    func write(_ bytes: [UInt8], id: Int64) throws(StorageFailure) {
        let unfinished = path(id) + ".part"
        let descriptor = unsafe open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .files(errno) }
        var written = 0
        var failure: Int32?
        unsafe bytes.withUnsafeBytes { buffer in
            while written < buffer.count {
                let count = unsafe Glibc.write(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written)
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        close(descriptor)
        if failure == nil, unsafe rename(unfinished, path(id)) != 0 { failure = errno }
        if let failure {
            unsafe unlink(unfinished)
            throw .files(failure)
        }
    }

    /// nil where there is no such file: it was replaced since somebody looked up its number.
    func read(id: Int64, _ range: Range<Int>) throws(StorageFailure) -> [UInt8]? {
        let descriptor = unsafe open(path(id), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .files(errno)
        }
        defer { close(descriptor) }
        var failure: Int32?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let count = unsafe pread(
                    descriptor, buffer.baseAddress.map { unsafe $0 + filled },
                    range.count - filled, range.lowerBound + filled)
                if count > 0 {
                    filled += count
                } else if count == 0 || errno != EINTR {
                    failure = count == 0 ? EIO : errno
                    return
                }
            }
        }
        if let failure { throw .files(failure) }
        return bytes
    }

    func remove(id: Int64) {
        unsafe unlink(path(id))
        unsafe unlink(path(id) + ".part")
    }
}
