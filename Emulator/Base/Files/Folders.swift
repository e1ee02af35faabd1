internal import Glibc

extension Files {
    /// The names in a directory, sorted; empty if it is not a directory.
    package static func entries(_ path: String) -> [String] {
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

    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes a file, or a directory with its contents. Symbolic links are removed, not followed.
    package static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A process may have created it read-only.
        chmod(path, 0o700)
        for name in entries(path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

/// A temporary directory, removed with the last reference to it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Makes the folder in `TMPDIR` if that is set; otherwise in a memory file system if there is
    /// one, where synced writes cost nothing.
    package init(named name: String) throws(FileFailure) {
        let parents = [
            getenv("TMPDIR").map { String(cString: $0) } ?? "", "/dev/shm", "/tmp",
        ]
        let parent = parents.first { !$0.isEmpty && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
        let template = "\(parent)/\(name)-XXXXXX"
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw FileFailure(template) }
        path = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Files.remove(path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
