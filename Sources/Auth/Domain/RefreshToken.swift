package import Bytes
internal import Cryptography

/// A refresh token as the client holds it. Stored only as `hash`.
package struct RefreshToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    /// Refuses what cannot be one of ours before the store is asked.
    package init?(presented raw: String, form: RefreshTokenForm) {
        guard form.admits(raw) else { return nil }
        text = raw
    }

    fileprivate init(_ text: String) { self.text = text }

    package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

    /// The one way out: into a response body.
    package func reveal() -> String { text }

    package var description: String { "<refresh token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What refresh tokens look like under a contract.
package enum RefreshTokenForm: Equatable, Sendable {
    /// 256 bits in base64url behind a prefix that says what they are.
    case opaque(prefix: String)

    package func admits(_ raw: String) -> Bool {
        switch self {
        case .opaque(let prefix):
            raw.utf8.count == prefix.utf8.count + 43
                && raw.utf8.starts(with: prefix.utf8)
                && Base64URL.decode(raw.dropFirst(prefix.count))?.count == 32
        }
    }

    fileprivate func text(of bytes: [UInt8]) -> String {
        switch self {
        case .opaque(let prefix): prefix + Base64URL.encode(bytes)
        }
    }
}

/// Computes a family's token of a generation, so that the same successor can be given again to a
/// client whose answer was lost, without any token being stored.
///
/// Both halves are needed: the key is not in the store, the seed is nowhere else.
package struct RefreshTokenMint: Sendable {
    private let key: SecretBytes
    private let form: RefreshTokenForm

    package init(key: SecretBytes, form: RefreshTokenForm) {
        self.key = key
        self.form = form
    }

    package func token(family: SessionID, seed: [UInt8], generation: Int64) -> RefreshToken {
        // A fixed-length encoding: no two inputs share one.
        var message = Array("latchkey refresh token 1\0".utf8) + Array(family.text.utf8)
        message += SHA256.hash(seed)
        message += (0..<8).map { UInt8(truncatingIfNeeded: generation >> (56 - 8 * $0)) }
        return RefreshToken(form.text(of: HMAC.sha256(message, key: key)))
    }
}
