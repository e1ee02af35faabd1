internal import Bytes
internal import Glibc

/// The credentials that systemd passes to the package's service: `LoadCredential=NAME:PATH` and its
/// variants in the unit (systemd.exec(5)).
package enum ServiceCredentials {
    package struct Credential: Equatable, Sendable {
        /// The name of a setting.
        package let name: String
        package let path: String

        package init(name: String, path: String) {
            self.name = name
            self.path = path
        }

        /// Whether this process can read the file.
        package var isReadable: Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                && access(path, R_OK) == 0
        }

        /// Whether the service cannot start, because systemd does not find the file.
        package var isMissing: Bool {
            var status = stat()
            return !path.hasPrefix(runFolder) && stat(path, &status) != 0 && errno == ENOENT
        }
    }

    private static let unit = "latchkey.service"
    /// A running service has each credential in a file that root can read.
    private static let runFolder = "/run/credentials/\(unit)/"
    private static let unitFolders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]
    private static let unitBytesMax = 1 << 20

    package static var all: [Credential] { unitTexts.flatMap(credentials) }

    /// The unit and the files with which `systemctl edit` changes it.
    private static var unitTexts: [String] {
        unitFolders.flatMap { folder in
            ["\(folder)/\(unit)"]
                + names(in: "\(folder)/\(unit).d").filter { $0.hasSuffix(".conf") }.sorted()
                .map { "\(folder)/\(unit).d/\($0)" }
        }.compactMap { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let bytes = try? Descriptor.readAll(descriptor, bytesMax: unitBytesMax)
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The names of the files in a folder.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
                })
        }
        return names
    }

    private static func credentials(_ unit: String) -> [Credential] {
        unit.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1).map(trimmed)
            let kinds = [
                "LoadCredential", "LoadCredentialEncrypted", "SetCredential",
                "SetCredentialEncrypted",
            ]
            guard parts.count == 2, let kind = kinds.firstIndex(of: parts[0]) else { return nil }
            let words = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
            guard let name = words.first else { return nil }
            let isFile = kind == 0 && words.count == 2 && words[1].hasPrefix("/")
            return Credential(name: name, path: isFile ? words[1] : runFolder + name)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
