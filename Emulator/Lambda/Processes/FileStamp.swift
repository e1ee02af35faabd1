internal import Glibc

/// Identifies a version of a file: it changes when an executable is rebuilt.
package struct FileStamp: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let bytes: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// nil if the file does not exist.
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

/// The system's text for an errno.
package enum ErrnoText {
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    package static let noSuchFile = ENOENT
}
