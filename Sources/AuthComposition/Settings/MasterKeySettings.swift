internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import Glibc

/// `MASTER_KEY`: the secret from which everything else that is secret follows.
enum MasterKeySettings {
    static func read(
        _ reader: inout SettingsReader, store: StoreSettings, random: RandomSource
    ) -> MasterKey? {
        if let given = reader.secret("MASTER_KEY") {
            if let key = MasterKey(decoded(given)) { return key }
            reader.refuse(
                "MASTER_KEY must hold at least \(MasterKey.bytesMin) bytes, as base64, hex or text")
            return nil
        }
        guard reader.text("MASTER_KEY") == nil else { return nil }
        switch store {
        case .memory: return MasterKey(random.secret(count: MasterKey.bytesMin))
        case .dynamoDB:
            reader.refuse("MASTER_KEY is required with a DynamoDB store")
            return nil
        case .sqlite(let path):
            guard let key = keyFile(beside: path, random: random).flatMap(MasterKey.init) else {
                reader.refuse("\(path).key, which holds the master key, cannot be read or made")
                return nil
            }
            return key
        }
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
    private static func keyFile(beside path: String, random: RandomSource) -> SecretBytes? {
        let keyPath = path + ".key"
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
