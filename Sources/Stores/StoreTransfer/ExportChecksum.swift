internal import Bytes
internal import Cryptography

/// The SHA-256 of all lines of an export except the last one.
final class ExportChecksum {
    private var hasher: SHA256Hasher? = SHA256Hasher()

    func update(_ lines: [UInt8]) { hasher?.update(lines) }

    /// The checksum in hex. Nothing can be added afterwards.
    func end() -> String {
        guard let hasher = hasher.take() else { return "" }
        return Hex.encode(hasher.finalize())
    }
}
