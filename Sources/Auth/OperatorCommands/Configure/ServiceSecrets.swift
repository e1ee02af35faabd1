internal import AuthComposition
internal import Bytes
internal import FunctionRuntime

/// The secrets that a server has beside its settings file: those in the environment of this
/// process, and the credentials of the package's service.
struct ServiceSecrets {
    struct Secret {
        let name: String
        /// The secret, or a reference to its file.
        let value: String
        /// The credential of the service; nil for a variable of this environment.
        let credential: ServiceCredentials.Credential?

        var isOfMail: Bool { name == "MAIL_PASSWORD" }

        /// Whether it is in a file that this process cannot read.
        var isUnreadable: Bool {
            guard value.hasPrefix("file:") else { return false }
            let path = String(value.dropFirst("file:".utf8.count))
            return !ServiceCredentials.Credential(name: name, path: path).isReadable
        }
    }

    private let all: [Secret]

    /// - Parameter isOfPackage: whether the service reads the settings file.
    init(isOfPackage: Bool) {
        let ofService = isOfPackage ? ServiceCredentials.all : []
        // `StartSettings` has added the files of credentials.
        let own = Environment.current().all.filter { name, value in
            SettingsListing.isSecret(name) && !value.isEmpty
                && !ofService.contains { $0.name == name && "file:\($0.path)" == value }
        }
        let all =
            own.map { Secret(name: $0.name, value: $0.value, credential: nil) }
            + ofService.map { Secret(name: $0.name, value: "file:\($0.path)", credential: $0) }
        self.all = all.filter { Self.isSetting($0.name) }
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
            guard let credential = secret.credential else {
                return "\(secret.name) is in this environment and not in \(file.path): the server "
                    + "needs it, too"
            }
            if credential.isMissing {
                return "\(secret.name): the service cannot start, because its credential "
                    + "\(credential.path) does not exist"
            }
            guard secret.isUnreadable else { return nil }
            return "\(secret.name) comes from the service: "
                + (secret.isOfMail ? "the test mail is on the page System" : "it is not checked")
        }
    }

    private static func isSetting(_ name: String) -> Bool {
        SettingNames.refusal(of: name) == nil && !name.hasPrefix("AWS_")
    }
}
