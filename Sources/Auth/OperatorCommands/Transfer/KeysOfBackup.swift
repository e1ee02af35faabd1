internal import AuthComposition
internal import AuthDomain
internal import Bytes
internal import FunctionRuntime
internal import StoreTransfer

/// The keys in a backup or an export: the master key and the hash of the administrator's password,
/// if they are files of the deployment.
struct KeysOfBackup {
    let header: ExportHeader
    private let contained: [String]
    private let elsewhere: [String]

    init(_ settings: OperatorSettings, isWithout: Bool) throws(CommandFailure) {
        var header = ExportHeader()
        var contained: [String] = []
        var elsewhere: [String] = []
        header.masterKeyID = settings.configuredMasterKeys.first?.id
        let key = try starting { () throws(StartFailure) in try settings.masterKeyFile() }
        var keyPlace = settings.masterKey
        if case .file = keyPlace, key == nil {
            // A backup cannot be read without its master key, so this needs --without-keys.
            guard isWithout else {
                throw CommandFailure(
                    "the master key of this store is in no file and no setting here: use "
                        + "--env-file (--without-keys saves the items without it)")
            }
            keyPlace = .nowhere
        }
        if let key {
            header.masterKeyID = MasterKey(key)?.id
            if !isWithout { header.masterKey = key }
        }
        func add(_ what: String, _ place: OperatorSettings.Place, isContained: Bool) {
            switch place {
            case _ where isContained: contained.append(what)
            case .file(let path): elsewhere.append("\(what) is in \(path)")
            case .setting(let setting): elsewhere.append("\(what) is in the setting \(setting)")
            case .nowhere: elsewhere.append("\(what) is not in the settings of this command")
            }
        }
        add("the master key", keyPlace, isContained: header.masterKey != nil)
        let password = try starting { () throws(StartFailure) in
            try settings.administratorFile()
        }
        if !isWithout { header.administrator = password }
        // Without an administrator's password there is nothing to report.
        if password != nil || settings.administrator.isSetting {
            add(
                "the hash of the administrator's password", settings.administrator,
                isContained: header.administrator != nil)
        }
        self.header = header
        self.contained = contained
        self.elsewhere = elsewhere
    }

    /// `saved 8 items and the master key to FILE. Not in it: …`
    func report(_ verb: String, _ count: Int, to place: String) -> String {
        var parts = ["\(count) items"] + contained
        let last = parts.count > 1 ? parts.popLast().map { " and \($0)" } : nil
        let missing = elsewhere.isEmpty ? "" : ". Not in it: \(elsewhere.joined(separator: "; "))"
        return "\(verb) \(parts.joined(separator: ", "))\(last ?? "") to \(place)\(missing)"
    }
}

extension OperatorSettings.Place {
    fileprivate var isSetting: Bool {
        if case .setting = self { true } else { false }
    }
}
