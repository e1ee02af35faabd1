internal import Bytes
package import Cryptography

/// A code for signing in when the authenticator app is lost. Each is valid once.
///
/// It has 120 random bits and cannot be guessed, so it may be stored as a plain hash (ASVS 5.0,
/// 6.5.2) and needs no rate limit that could lock out the owner.
package struct RecoveryCode: Sendable {
    /// The number of codes of an account.
    package static let count = 10
    private static let byteCount = 15
    private static let groupCharacters = 4

    private let bytes: SecretBytes

    package init(random: RandomSource) {
        bytes = SecretBytes(random.bytes(Self.byteCount))
    }

    /// Accepts upper and lower case, with or without hyphens and spaces.
    package init?(parsing text: String) {
        let symbols = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard let bytes = Base32.decode(String(decoding: symbols, as: UTF8.self)),
            bytes.count == Self.byteCount
        else { return nil }
        self.bytes = SecretBytes(bytes)
    }

    /// `ABCD-EFGH-…`, for its owner.
    package func reveal() -> String {
        let symbols = Array(Base32.encode(bytes.reveal()).utf8)
        let groups = stride(from: 0, to: symbols.count, by: Self.groupCharacters).map { start in
            String(
                decoding: symbols[start..<min(start + Self.groupCharacters, symbols.count)],
                as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// The stored hash. It includes the account's ID, so that it is useless for another account.
    package func hash(of user: UserID) -> [UInt8] {
        SHA256.hash(Array("latchkey recovery code\0".utf8) + user.uuid.bytes + bytes.reveal())
    }
}
