internal import AuthComposition
internal import Bytes
internal import FunctionRuntime
internal import Glibc

/// The secrets that a server has beside its settings file: those in the environment of this
/// process, and the credentials of the package's service.
struct ServiceSecrets {
    struct Secret {
        let name: String
        /// The secret, or a reference to its file.
        let value: String
        /// Whether the unit of the service names it.
        let isOfService: Bool

        var isOfMail: Bool { name == "MAIL_PASSWORD" }

        /// Whether this process cannot read the file.
        var isUnreadable: Bool {
            guard value.hasPrefix("file:") else { return false }
            let path = String(value.dropFirst("file:".utf8.count))
            var status = stat()
            return stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
                || access(path, R_OK) != 0
        }
    }

    private static let unit = "latchkey.service"
    private static let unitFolders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]
    private static let unitBytesMax = 1 << 20

    private let all: [Secret]

    /// - Parameter isOfPackage: whether the service reads the settings file.
    init(isOfPackage: Bool) {
        // `StartSettings` has added the files of `CREDENTIALS_DIRECTORY`.
        let own = Environment.current().all.filter { name, value in
            SettingsListing.isSecret(name) && Self.isSetting(name) && !value.isEmpty
        }
        all =
            own.map { Secret(name: $0.name, value: $0.value, isOfService: false) }
            + (isOfPackage ? Self.unitTexts.flatMap(Self.credentials) : [])
    }

    /// The first of each name that is not in the file, as the server would read it.
    func beside(_ file: SettingsFile) -> [Secret] {
        var found: [Secret] = []
        for secret in all
        where file.value(secret.name) == nil && !found.contains(where: { $0.name == secret.name }) {
            found.append(secret)
        }
        return found
    }

    func notes(_ file: SettingsFile) -> [String] {
        beside(file).compactMap { secret in
            if !secret.isOfService {
                return "\(secret.name) is in this environment and not in \(file.path): the server "
                    + "needs it, too"
            }
            guard secret.isUnreadable else { return nil }
            return "\(secret.name) comes from the service: "
                + (secret.isOfMail ? "the test mail is on the page System" : "it is not checked")
        }
    }

    private static func isSetting(_ name: String) -> Bool {
        SettingNames.refusal(of: name) == nil && !name.hasPrefix("AWS_")
    }

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

    private static func names(in path: String) -> [String] {
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

    /// `LoadCredential=NAME:PATH` and its variants (systemd.exec(5)). A running service has each
    /// credential in a file that root can read.
    private static func credentials(_ unit: String) -> [Secret] {
        unit.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1).map(trimmed)
            let kinds = [
                "LoadCredential", "LoadCredentialEncrypted", "SetCredential",
                "SetCredentialEncrypted",
            ]
            guard parts.count == 2, let kind = kinds.firstIndex(of: parts[0]) else { return nil }
            let words = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
            guard let name = words.first, isSetting(name) else { return nil }
            let isFile = kind == 0 && words.count == 2 && words[1].hasPrefix("/")
            let path = isFile ? words[1] : "/run/credentials/\(Self.unit)/\(name)"
            return Secret(name: name, value: "file:\(path)", isOfService: true)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
