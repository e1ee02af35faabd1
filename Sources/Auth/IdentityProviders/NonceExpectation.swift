internal import Bytes
internal import Cryptography

/// The expected `nonce` claim.
package enum NonceExpectation: Sendable, Equatable {
    /// The nonce is not checked: the token was received directly from the provider's token
    /// endpoint.
    case ignored
    /// The nonce of the sign-in, or nil if there is none.
    case exactly(String?)
}

/// The result of checking a token's nonce.
enum NonceVerdict: Equatable {
    case matches
    case notChecked
    case mismatch
}

extension NonceExpectation {
    private static let nonceBytesMax = 512

    /// Compares with the claim, in constant time, because a nonce is secret until it is used.
    ///
    /// A claim without an expectation fails too: that token was bound to another sign-in.
    /// `isUnsupported` is Apple's `nonce_supported: false`.
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

    /// Apps send the provider the nonce itself, or its SHA-256 in hex (Apple's sample code) or
    /// base64url; to us they always send the nonce itself.
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

/// The `nonce` claim of a token.
enum NonceClaim: Equatable {
    case absent
    case text(String)
    /// The claim is not a string.
    case malformed
}
