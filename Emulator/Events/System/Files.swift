internal import Glibc

/// The few things that fixtures need of a file system.
enum Files {
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readAll(descriptor)
    }

    /// Everything up to the end of the file or stream.
    static func readAll(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    /// Whoever reads the file meanwhile sees the old one or the new one, whole.
    static func write(_ bytes: [UInt8], to path: String) throws(FixtureFailure) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("cannot write \(path)") }
        let isWhole = writeAll(bytes, to: descriptor)
        guard close(descriptor) == 0, isWhole, rename(temporary, path) == 0 else {
            let failure = failure("cannot write \(path)")
            unlink(temporary)
            throw failure
        }
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The names in a directory, sorted; none when it is none.
    static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isDirectory(_ path: String) -> Bool { type(path, follows: true) == S_IFDIR }

    static func isWritableDirectory(_ path: String) -> Bool {
        isDirectory(path) && access(path, W_OK | X_OK) == 0
    }

    static func isExecutable(_ path: String) -> Bool {
        type(path, follows: true) == S_IFREG && access(path, X_OK) == 0
    }

    /// The directory and all that are missing above it.
    static func makeDirectory(_ path: String) throws(FixtureFailure) {
        var made = path.hasPrefix("/") ? "" : "."
        for segment in path.split(separator: "/") {
            made += "/\(segment)"
            guard mkdir(made, 0o755) == 0 || isDirectory(made) else {
                throw failure("cannot make \(path)")
            }
        }
    }

    /// A file, or a directory with all that it holds. Links are removed, not followed.
    static func remove(_ path: String) {
        guard type(path, follows: false) == S_IFDIR else {
            unlink(path)
            return
        }
        // What ran there may have made it read-only.
        chmod(path, 0o700)
        for name in entries(path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The path without links; nil when there is nothing.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func type(_ path: String, follows: Bool) -> mode_t? {
        var status = stat()
        guard (follows ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }

    private static func failure(_ text: String) -> FixtureFailure {
        FixtureFailure("\(text): \(String(cString: strerror(errno)))")
    }
}

/// A directory of its own, gone with the last reference to it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws(FixtureFailure) {
        // Stores write through to the disk with each event; in memory that costs nothing.
        let parent =
            Variables.value("TMPDIR")
            ?? (Files.isWritableDirectory("/dev/shm") ? "/dev/shm" : "/tmp")
        var template = Array("\(parent)/emulator-replay-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FixtureFailure("cannot make a directory in \(parent)")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Files.remove(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// This process's own environment.
enum Variables {
    /// nil when it is empty, too.
    static func value(_ name: String) -> String? {
        guard let text = getenv(name), text.pointee != 0 else { return nil }
        return String(cString: text)
    }

    /// Everything, as a child would inherit it.
    static var all: [(name: String, value: String)] {
        (Files.read("/proc/self/environ") ?? []).split(separator: 0).compactMap { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                String(decoding: pair[..<equals], as: UTF8.self),
                String(decoding: pair[(equals + 1)...], as: UTF8.self)
            )
        }
    }
}
