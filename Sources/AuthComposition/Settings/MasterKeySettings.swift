internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import FunctionRuntime
internal import Glibc

/// `MASTER_KEY`: the secret from which everything else that is secret follows.
enum MasterKeySettings {
    /// What the settings say of the key, with no file made yet.
    enum Source: Sendable {
        case given(MasterKey)
        /// Gone with the process, as the store is.
        case ephemeral
        case file(path: String)
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
        case .sqlite(let path): return .file(path: path + ".key")
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
        case .file(let path):
            if let key = keyFile(path, random: random).flatMap(MasterKey.init) { return key }
        }
        throw StartFailure(
            problems: ["MASTER_KEY: the key file beside the store cannot be read or made"])
    }

    /// Text that decodes to enough bytes is an encoding; any other text stands for itself.
    private static func decoded(_ secret: SecretBytes) -> SecretBytes {
        let text = String(decoding: secret.reveal(), as: UTF8.self)
        for bytes in [Hex.decode(text), Base64.decode(text), Base64URL.decode(text)] {
            if let bytes, bytes.count >= MasterKey.bytesMin { return SecretBytes(bytes) }
        }
        return secret
    }

    /// An embedded store brings its key along: made once, readable by its owner only.
    ///
    /// Of many processes that start at once one makes the file: it is written under another name
    /// and then linked, so nobody ever reads half a key.
    private static func keyFile(_ keyPath: String, random: RandomSource) -> SecretBytes? {
        if let bytes = try? SecretFile.read(keyPath) { return SecretBytes(bytes) }
        let draft = "\(keyPath).\(Hex.encode(random.bytes(8)))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { unlink(draft) }
        let bytes = random.bytes(MasterKey.bytesMin)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
        let isSafe = fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, isSafe else { return nil }
        // EEXIST: somebody was faster, and theirs is the key.
        _ = link(draft, keyPath)
        return (try? SecretFile.read(keyPath)).map(SecretBytes.init)
    }
}
