internal import Bytes
internal import Cryptography

/// What the `nonce` claim has to be.
package enum NonceExpectation: Sendable, Equatable {
    /// Not looked at: for a token that another token has already vouched for.
    case ignored
    /// The nonce that the sign-in was started with, or nil if it was started without one.
    case exactly(String?)
}

/// The verdict on one token's nonce.
enum NonceVerdict: Equatable {
    case matches
    case notChecked
    case mismatch
}

extension NonceExpectation {
    private static let nonceBytesMax = 512

    /// Compares with the claim; in constant time, for a nonce is a secret until it is spent.
    ///
    /// A claim without an expectation fails as well: somebody bound that token to a sign-in that
    /// is not this one. `isUnsupported` is Apple's `nonce_supported: false`, its word that the
    /// device could not pass a nonce on.
    func verdict(on claim: NonceClaim, isUnsupported: Bool) -> NonceVerdict {
        switch (self, claim) {
        case (.ignored, _): .notChecked
        case (.exactly(nil), .absent): .notChecked
        case (.exactly(nil), .text), (.exactly, .malformed): .mismatch
        case (.exactly(.some), .absent): isUnsupported ? .notChecked : .mismatch
        case (.exactly(let nonce?), .text(let text)):
            Self.isMatch(nonce, text) ? .matches : .mismatch
        }
    }

    /// The apps of this world send the nonce as it is, or its SHA-256 as hex (Apple's own sample)
    /// or base64url, and show us the value before hashing.
    private static func isMatch(_ nonce: String, _ claim: String) -> Bool {
        guard !nonce.isEmpty, nonce.utf8.count <= nonceBytesMax else { return false }
        let claim = Array(claim.utf8)
        let hash = SHA256.hash(Array(nonce.utf8))
        let isRaw = constantTimeEquals(Array(nonce.utf8), claim)
        let isHex = constantTimeEquals(Array(Hex.encode(hash).utf8), claim)
        let isBase64URL = constantTimeEquals(Array(Base64URL.encode(hash).utf8), claim)
        return isRaw || isHex || isBase64URL
    }
}

/// The `nonce` claim as it was found.
enum NonceClaim: Equatable {
    case absent
    case text(String)
    /// There, but no string.
    case malformed
}
