internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import FunctionRuntime

/// `MASTER_KEY`: the secret from which all other keys are derived.
enum MasterKeySettings {
    /// The configured source of the key, before any file is created.
    enum Source: Sendable {
        case given(MasterKey)
        /// The key is only in memory, like the store.
        case ephemeral
        /// A file beside the database, created if neither exists.
        case file(database: String)
    }

    /// nil if an error was reported to `reader`.
    static func read(_ reader: inout SettingsReader, store: StoreSettings) -> Source? {
        if let key = given(&reader) { return .given(key) }
        guard reader.text("MASTER_KEY") == nil else { return nil }
        switch store {
        case .memory: return .ephemeral
        case .dynamoDB, .postgreSQL:
            reader.refuse("MASTER_KEY is required with a \(store.sharedName ?? "") store")
            return nil
        case .sqlite(let path): return .file(database: path)
        }
    }

    /// The key of the setting; nil if there is none, or if an error was reported to `reader`.
    static func given(_ reader: inout SettingsReader) -> MasterKey? {
        guard let given = reader.secret("MASTER_KEY") else { return nil }
        let key = MasterKey(decoded(given))
        if key == nil {
            reader.refuse(
                "MASTER_KEY must hold at least \(MasterKey.bytesMin) bytes, as base64, hex or text")
        }
        return key
    }

    static let previousMax = 4

    /// `MASTER_KEY_PREVIOUS`: earlier master keys.
    static func previous(_ reader: inout SettingsReader) -> [MasterKey] {
        let given = reader.secrets("MASTER_KEY_PREVIOUS")
        let keys = given.compactMap { MasterKey(decoded($0)) }
        if keys.count != given.count || keys.count > previousMax {
            reader.refuse(
                "MASTER_KEY_PREVIOUS must hold at most \(previousMax) keys of at least "
                    + "\(MasterKey.bytesMin) bytes, separated by commas")
        }
        return keys
    }

    /// Creates the key if necessary. Call it only after all other settings are validated.
    static func resolve(
        _ source: Source, random: RandomSource
    ) throws(StartFailure) -> MasterKey {
        switch source {
        case .given(let key): return key
        case .ephemeral:
            if let key = MasterKey(random.secret(count: MasterKey.bytesMin)) { return key }
        case .file(let database):
            do throws(MasterKeyFile.Failure) {
                let bytes = try MasterKeyFile.key(beside: database, random: random)
                if let key = MasterKey(bytes) { return key }
            } catch {
                throw StartFailure(problems: [error.problem(database)])
            }
        }
        throw StartFailure(problems: ["MASTER_KEY cannot be used"])
    }

    /// Text that decodes to enough bytes is treated as encoded; other text is used as it is.
    private static func decoded(_ secret: SecretBytes) -> SecretBytes {
        let text = String(decoding: secret.reveal(), as: UTF8.self)
        for bytes in [Hex.decode(text), Base64.decode(text), Base64URL.decode(text)] {
            if let bytes, bytes.count >= MasterKey.bytesMin { return SecretBytes(bytes) }
        }
        return secret
    }
}
