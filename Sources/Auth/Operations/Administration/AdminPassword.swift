package import Bytes
internal import Cryptography

/// The administrator's password from the settings, as a hash or in plain text.
package struct AdminPassword: Sendable {
    private let source: Source

    private enum Source: Sendable {
        case hash(String)
        case plain(SecretBytes)
    }

    /// - Parameter hash: a PHC string of Argon2id. nil is returned for any other text.
    package init?(hash: String) {
        guard PasswordHash.isValid(phc: hash) else { return nil }
        source = .hash(hash)
    }

    package init(plain: SecretBytes) { source = .plain(plain) }

    func isMatched(by password: String) throws(AuthError) -> Bool {
        guard password.utf8.count <= PasswordHash.passwordBytesMax else { return false }
        switch source {
        case .hash(let phc):
            do {
                return try PasswordHash.verify(SecretBytes(utf8: password), phc: phc)
            } catch {
                throw .fault(.passwordHashingFailed)
            }
        case .plain(let expected):
            // Hashes have the same length whatever the length of the passwords.
            return constantTimeEquals(
                SHA256.hash(Array(password.utf8)), SHA256.hash(expected.reveal()))
        }
    }
}
