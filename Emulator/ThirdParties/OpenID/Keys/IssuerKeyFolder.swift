internal import Bytes
package import Cryptography
package import EmulatorBase
package import JOSE

/// A folder of issuers' keys that several emulators share. Each is made when it is first needed: an
/// RSA key takes a fifth of a second of processor time.
package struct IssuerKeyFolder: Sendable {
    private let path: String

    /// Creates the folder if it is missing.
    package init(path: String) throws(FileFailure) {
        try Files.makeDirectory(path)
        self.path = path
    }

    package func key(
        _ name: String, _ algorithm: Algorithm, random: RandomSource
    ) throws(KeyFailure) -> SigningKey {
        let file = "\(path)/\(name).jwk"
        if let bytes = try? Files.read(file, bytesMax: 64 << 10),
            let key = try? SigningKey(exported: SecretBytes(bytes)), key.algorithm == algorithm
        {
            return key
        }
        let key = try SigningKey.generate(algorithm, random: random)
        // If the file is missing or was replaced by another emulator's, this emulator uses its own
        // key.
        try? Files.write(key.exported().reveal(), to: file, mode: 0o600)
        return key
    }
}
