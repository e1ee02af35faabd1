internal import Bytes
package import Cryptography

/// A code to sign in with when the authenticator app is lost. Each is good once.
///
/// 120 random bits, which cannot be guessed, so a plain hash of it may be stored (ASVS 5.0, 6.5.2)
/// and no limit is needed that could lock out the owner.
package struct RecoveryCode: Sendable {
    /// How many an account is given.
    package static let count = 10
    private static let byteCount = 15
    private static let groupCharacters = 4

    private let bytes: SecretBytes

    package init(random: RandomSource) {
        bytes = SecretBytes(random.bytes(Self.byteCount))
    }

    /// As shown or as a person types it: either case, with or without hyphens and spaces.
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

    /// What the store has of it, of no use for another account.
    package func hash(of user: UserID) -> [UInt8] {
        SHA256.hash(Array("latchkey recovery code\0".utf8) + user.uuid.bytes + bytes.reveal())
    }
}
