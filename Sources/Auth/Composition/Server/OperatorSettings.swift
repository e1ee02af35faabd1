package import AuthDomain
internal import AuthOperations
package import Bytes
internal import Contracts
package import FunctionRuntime
internal import Glibc
package import KeyValueStore

/// The places of a deployment's store, master key and administrator's password, for the operator's
/// commands. Reading them opens and creates nothing.
package struct OperatorSettings: Sendable {
    package enum Store: Equatable, Sendable {
        case memory
        case sqlite(path: String)
        case postgreSQL
        case dynamoDB
    }

    package enum Place: Equatable, Sendable {
        /// A file beside the SQLite database. It may not exist yet.
        case file(path: String)
        /// A setting, such as `MASTER_KEY=file:/run/secrets/key`, without any secret.
        case setting(String)
        case nowhere
    }

    package let store: Store
    package let masterKey: Place
    /// The master key and the previous ones, if they are in a setting.
    package let configuredMasterKeys: [MasterKey]
    package let administrator: Place

    /// Throws if the SQLite database does not exist: opening it would create one.
    package func requireStore() throws(StartFailure) {
        guard case .sqlite(let path) = store, access(path, F_OK) != 0 else { return }
        let problem =
            errno == ENOENT
            ? "there is no database: run this in the server's folder, or name its settings by "
                + "--env-file or STORE"
            : String(cString: strerror(errno))
        throw StartFailure(problems: ["STORE: \(FilePath.absolute(path)): \(problem)"])
    }

    /// The contents of the file of the master key; nil if there is none.
    package func masterKeyFile() throws(StartFailure) -> SecretBytes? {
        guard case .file(let path) = masterKey else { return nil }
        do throws(OwnerOnlyFile.Failure) {
            return try OwnerOnlyFile.existing(path).map { SecretBytes($0) }
        } catch {
            throw StartFailure(problems: ["MASTER_KEY: \(error.explanation(path))"])
        }
    }

    /// Throws if the store was written under another master key: a backup with this one would be of
    /// no use.
    package func requireMasterKey(of store: any KeyValueStore) throws(StartFailure) {
        let inFile = try masterKeyFile().flatMap { MasterKey($0) }
        let known = ((inFile.map { [$0] } ?? []) + configuredMasterKeys).map(\.id)
        let stored: [UInt8]?
        do throws(StoreFailure) {
            stored = try StoredMasterKey.id(in: store)
        } catch {
            throw StartFailure(problems: ["STORE: \(error.explanation)"])
        }
        guard let stored, !known.isEmpty, !known.contains(stored) else { return }
        var file: String?
        if case .file(let path) = masterKey { file = path }
        throw StartFailure(
            problems: [MasterKeyConfirmation.wrongKey(file) + ": nothing was saved"])
    }

    /// The hash in the file of the administrator's password; nil if there is none.
    package func administratorFile() throws(StartFailure) -> String? {
        guard case .file(let path) = administrator else { return nil }
        return try AdminPasswordFile.hash(in: path)
    }
}

extension Assembly {
    package func operatorSettings() throws(StartFailure) -> OperatorSettings {
        let aws = AWSParts(self, requests(AssemblyReports()))
        var reader = SettingsReader(environment, secrets: aws.secretSource)
        let contract = ServiceSettings.contract(&reader)
        reader.names = contract.settingNames
        let store = StoreSettings.read(&reader)
        var keys = MasterKeySettings.given(&reader).map { [$0] } ?? []
        let previous = MasterKeySettings.previous(&reader)
        if !keys.isEmpty { keys += previous }
        let hasHash = reader.text("ADMIN_PASSWORD_HASH") != nil
        let hasPassword =
            hasHash
            || contract.policy.admin.allowsPlainPassword && reader.text("ADMIN_PASSWORD") != nil
        guard reader.problems.isEmpty else { throw StartFailure(problems: reader.problems) }
        let passwordSetting = hasHash ? "ADMIN_PASSWORD_HASH" : "ADMIN_PASSWORD"
        var database: String?
        if case .sqlite(let path) = store { database = path }
        func place(_ setting: String?, _ ending: String) -> OperatorSettings.Place {
            if let setting { return .setting(reader.source(of: setting)) }
            return database.map { .file(path: $0 + ending) } ?? .nowhere
        }
        return OperatorSettings(
            store: OperatorSettings.Store(store),
            masterKey: place(keys.isEmpty ? nil : "MASTER_KEY", ".key"), configuredMasterKeys: keys,
            administrator: place(hasPassword ? passwordSetting : nil, ".admin"))
    }

    /// Returns a copy with only these settings.
    package func settings(_ values: [(name: String, value: String)]) -> Assembly {
        var other = self
        other.environment = Environment(values)
        other.purpose = .server(port: nil)
        return other
    }

    /// Returns a copy with another value of one setting.
    package func setting(_ name: String, to value: String) -> Assembly {
        var other = self
        other.environment = environment.setting(name, to: value)
        return other
    }
}

extension LatchkeyFunction {
    /// Returns the reasons why a server with these settings would not start. Nothing is opened or
    /// created.
    package static func problems(_ assembly: Assembly) -> [String] {
        let description = SettingsDescription()
        var assembly = assembly
        assembly.description = description
        _ = try? contractHandler(assembly, Log(level: .off) { _ in })
        return description.findings.problems
    }
}

extension OperatorSettings.Store {
    fileprivate init(_ settings: StoreSettings) {
        self =
            switch settings {
            case .memory: .memory
            case .sqlite(let path): .sqlite(path: path)
            case .postgreSQL: .postgreSQL
            case .dynamoDB: .dynamoDB
            }
    }
}

extension SettingsReader {
    /// `NAME=file:PATH` for a reference, `NAME` for a value, which is secret.
    fileprivate func source(of name: String) -> String {
        let used = names[name].flatMap { environment[$0] == nil ? nil : $0 } ?? name
        let references = ["file:", "secretsmanager:", "ssm:"]
        guard let value = text(name), references.contains(where: { value.dropping($0) != nil })
        else { return used }
        return "\(used)=\(value)"
    }
}
