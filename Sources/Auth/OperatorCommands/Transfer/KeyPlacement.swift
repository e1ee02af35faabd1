internal import AuthComposition
internal import AuthDomain
internal import Bytes
internal import FunctionRuntime
internal import Glibc
internal import StoreTransfer

/// Where the keys of a backup are stored in the restored deployment. The place is decided before
/// anything is written, so that no items are restored without their key.
struct KeyPlacement {
    struct File {
        let path: String
        let bytes: [UInt8]
        let what: String
        /// The setting that the operator has to add.
        let setting: String?
    }

    private(set) var masterKey: File?
    private(set) var administrator: File?
    /// Sentences for the operator.
    private(set) var notes: [String] = []

    /// - Parameters:
    ///   - folder: the folder for keys that cannot be stored beside the database (`--keys-to`).
    ///   - replacing: whether existing keys beside the database may be replaced.
    init(
        _ header: ExportHeader, in settings: OperatorSettings, keysTo folder: String?,
        replacing: Bool
    ) throws(CommandFailure) {
        if let folder {
            masterKey = header.masterKey.map {
                File(
                    path: "\(folder)/master-key",
                    bytes: Array((Hex.encode($0.reveal()) + "\n").utf8),
                    what: "the master key", setting: "MASTER_KEY")
            }
            administrator = header.administrator.map {
                File(
                    path: "\(folder)/admin-password-hash", bytes: Array("\($0)\n".utf8),
                    what: "the hash of the administrator's password",
                    setting: "ADMIN_PASSWORD_HASH")
            }
        }
        try placeMasterKey(header, settings, hasFolder: folder != nil, replacing)
        try placeAdministrator(header, settings, hasFolder: folder != nil, replacing)
    }

    private mutating func placeMasterKey(
        _ header: ExportHeader, _ settings: OperatorSettings, hasFolder: Bool, _ replacing: Bool
    ) throws(CommandFailure) {
        if !settings.configuredMasterKeys.isEmpty {
            guard let id = header.masterKeyID,
                !settings.configuredMasterKeys.contains(where: { $0.id == id })
            else { return }
            throw CommandFailure(
                "MASTER_KEY is not the key of this backup, with which its items are encrypted: "
                    + "set that one, or add it to MASTER_KEY_PREVIOUS"
                    + (header.masterKey == nil
                        ? "" : " (without MASTER_KEY, --keys-to FOLDER writes it to a file)"))
        }
        guard case .file(let path) = settings.masterKey else {
            guard header.masterKey != nil, !hasFolder else { return }
            throw CommandFailure(
                "the backup has the master key, and there is nowhere to keep it: give "
                    + "--keys-to FOLDER, which writes it to a file for the setting MASTER_KEY")
        }
        // A file that could not be read may be replaced.
        let present =
            replacing
            ? try? settings.masterKeyFile()
            : try starting {
                () throws(StartFailure) in try settings.masterKeyFile()
            }
        guard let key = header.masterKey else {
            guard
                header.masterKeyID == nil
                    || present.flatMap({ MasterKey($0)?.id }) == header.masterKeyID
            else {
                throw CommandFailure(
                    "the backup has no master key: set MASTER_KEY, or put its file at \(path)")
            }
            // The existing key is removed and written again, so that it is absent while the
            // database is replaced.
            if let present, replacing { place(present, at: path) }
            return
        }
        if let present, present.reveal() == key.reveal(), !replacing { return }
        guard present == nil || replacing else {
            throw CommandFailure(
                "\(path) is another master key: move it away, or use --replace")
        }
        if !hasFolder { place(key, at: path) }
    }

    private mutating func place(_ key: SecretBytes, at path: String) {
        masterKey = File(path: path, bytes: key.reveal(), what: "the master key", setting: nil)
    }

    private mutating func placeAdministrator(
        _ header: ExportHeader, _ settings: OperatorSettings, hasFolder: Bool, _ replacing: Bool
    ) throws(CommandFailure) {
        guard let hash = header.administrator, !hasFolder else { return }
        switch settings.administrator {
        case .setting(let setting):
            notes.append(
                "The administrator's password is the one in \(setting), not the backup's.")
        case .nowhere:
            throw CommandFailure(
                "the backup has the hash of the administrator's password, and there is "
                    + "nowhere to keep it: give --keys-to FOLDER, or set ADMIN_PASSWORD_HASH")
        case .file(let path):
            let present =
                replacing
                ? nil
                : try starting { () throws(StartFailure) in
                    try settings.administratorFile()
                }
            if present == hash { return }
            guard present == nil else {
                throw CommandFailure(
                    "\(path) is another administrator's password: move it away, or use "
                        + "--replace")
            }
            administrator = File(
                path: path, bytes: Array(hash.utf8),
                what: "the hash of the administrator's password", setting: nil)
            notes.append(
                "The administrator's password is the one that was in use at the backup, which has "
                    + "only its hash.")
        }
    }
}

extension KeyPlacement.File {
    func write() throws(CommandFailure) {
        if setting != nil {
            if mkdir(folder(of: path), 0o700) != 0, errno != EEXIST {
                throw CommandFailure("\(folder(of: path)): \(String(cString: strerror(errno)))")
            }
            // An earlier, interrupted run has written the key file.
            if isWritten { return }
        }
        // The file must not exist: otherwise this could replace the key of another deployment.
        try PrivateFile.write(bytes, to: path, replacing: setting == nil)
        giveToOwnerOfFolder(path)
    }

    private var isWritten: Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return (try? Descriptor.readAll(descriptor, bytesMax: bytes.count)) == bytes
    }

    var report: String {
        let place = "\(what) is in \(path)"
        return setting.map { "\(place): set \($0)=file:\(Self.absolute(path))" } ?? place
    }

    private static func absolute(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

/// If root writes the file, it gets the owner of the folder, which is the service.
func giveToOwnerOfFolder(_ path: String) {
    var status = stat()
    guard geteuid() == 0, stat(folder(of: path), &status) == 0 else { return }
    lchown(path, status.st_uid, status.st_gid)
}
