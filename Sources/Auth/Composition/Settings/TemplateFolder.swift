internal import Glibc

/// The operator's folder of templates.
enum TemplateFolder {
    private static let filesMax = 1000

    /// The files by name; nil if the folder or one of its files cannot be read, or if there are too
    /// many. Hidden files and subfolders are ignored.
    static func files(_ path: String) -> [String: [UInt8]]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var files: [String: [UInt8]] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            guard name.utf8.first != UInt8(ascii: ".") else { continue }
            let file = "\(path)/\(name)"
            var status = stat()
            guard stat(file, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            guard files.count < filesMax, let bytes = try? SecretFile.read(file) else { return nil }
            files[name] = bytes
        }
        return files
    }
}
