internal import AuthDomain
internal import AuthMail
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Glibc
internal import Time

/// `MAIL_URL=folder:PATH`: each message is written to a file, for a server without a mail system.
struct MailFolder: Equatable, Sendable {
    let path: String

    /// The oldest files are removed beyond this number.
    static let filesMax = 1000
    private static let suffix = ".eml"

    /// A message in the folder, for the log.
    struct Written: Sendable {
        let kind: Mail.Kind
        let file: String
        let link: String?
    }

    /// Why a message could not be written.
    struct Failure: Error {
        let path: String
        /// The number of the error (errno).
        let code: Int32

        var text: String {
            "\(FilePath.absolute(path)) cannot be written: \(String(cString: strerror(code)))"
        }
    }

    private var failure: Failure { Failure(path: path, code: errno) }

    /// Why no file can be written to the folder; nil for a missing folder, which the first mail
    /// creates.
    static func problem(_ path: String) -> String? {
        guard access(path, W_OK | X_OK) != 0, errno == EACCES || errno == EROFS else { return nil }
        return Failure(path: path, code: errno).text
    }

    /// - Parameter id: the message's ID, which becomes part of the file's name.
    /// - Returns: the name of the file.
    func write(_ bytes: [UInt8], id: String, at now: Instant) throws(Failure) -> String {
        try create()
        try removeOldest()
        // The names sort by time.
        let name = now.iso8601Seconds.filter { $0 != ":" && $0 != "-" } + "-" + id + Self.suffix
        let unfinished = "\(path)/.\(id)"
        let descriptor = open(
            unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        let isWritten = Descriptor.writeAll(bytes, to: descriptor)
        let failed = failure
        guard close(descriptor) == 0, isWritten, rename(unfinished, "\(path)/\(name)") == 0 else {
            let problem = isWritten ? failure : failed
            unlink(unfinished)
            throw problem
        }
        return name
    }

    /// A folder that root creates gets the owner of its parent, which is the service's user.
    private func create() throws(Failure) {
        guard mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw failure }
            return
        }
        guard geteuid() == 0 else { return }
        // The owner of the parent can replace the new folder: only a folder is changed, not the
        // target of a link.
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw failure }
        defer { close(folder) }
        var parent = stat()
        guard fstatat(folder, "..", &parent, 0) == 0,
            fchown(folder, parent.st_uid, parent.st_gid) == 0
        else { throw failure }
    }

    /// Makes room for one more file. Files with other names are not touched.
    private func removeOldest() throws(Failure) {
        guard let folder = opendir(path) else { throw failure }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name.hasSuffix(Self.suffix), !name.hasPrefix(".") { names.append(name) }
        }
        guard names.count >= Self.filesMax else { return }
        for name in names.sorted().prefix(names.count - Self.filesMax + 1) {
            unlink("\(path)/\(name)")
        }
    }
}
