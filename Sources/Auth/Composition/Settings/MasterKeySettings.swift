internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import FunctionRuntime

/// `MASTER_KEY`: the secret from which everything else that is secret follows.
enum MasterKeySettings {
    /// What the settings say of the key, with no file made yet.
    enum Source: Sendable {
        case given(MasterKey)
        /// Gone with the process, as the store is.
        case ephemeral
        /// Beside the database, made where there is neither.
        case file(database: String)
    }

    /// nil where `reader` has been told why.
    static func read(_ reader: inout SettingsReader, store: StoreSettings) -> Source? {
        if let given = reader.secret("MASTER_KEY") {
            if let key = MasterKey(decoded(given)) { return .given(key) }
            reader.refuse(
                "MASTER_KEY must hold at least \(MasterKey.bytesMin) bytes, as base64, hex or text")
            return nil
        }
        guard reader.text("MASTER_KEY") == nil else { return nil }
        switch store {
        case .memory: return .ephemeral
        case .dynamoDB:
            reader.refuse("MASTER_KEY is required with a DynamoDB store")
            return nil
        case .sqlite(let path): return .file(database: path)
        }
    }

    /// Makes the key where there is none yet: only once everything else is known to be right.
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
                throw StartFailure(problems: [error.problem])
            }
        }
        throw StartFailure(problems: ["MASTER_KEY cannot be used"])
    }

    /// Text that decodes to enough bytes is an encoding; any other text stands for itself.
    private static func decoded(_ secret: SecretBytes) -> SecretBytes {
        let text = String(decoding: secret.reveal(), as: UTF8.self)
        for bytes in [Hex.decode(text), Base64.decode(text), Base64URL.decode(text)] {
            if let bytes, bytes.count >= MasterKey.bytesMin { return SecretBytes(bytes) }
        }
        return secret
    }
}
