internal import Glibc

/// Tells one state of a file from the next: a rebuilt executable has another.
package struct FileStamp: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let bytes: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// nil when there is no such file.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        bytes = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}

/// What the system says of an errno.
package enum ErrnoText {
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    package static let noSuchFile = ENOENT
}
