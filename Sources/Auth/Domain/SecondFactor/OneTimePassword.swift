package import Bytes
internal import Cryptography
package import Time

/// Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app
/// supports: HMAC-SHA-1, six digits, 30 seconds.
package struct OneTimePassword: Sendable {
    package static let digits = 6
    package static let stepSeconds: Int64 = 30
    /// RFC 4226 section 4 (R6) recommends 160 bits.
    package static let secretByteCount = 20
    /// How many steps a clock may be ahead or behind (RFC 6238 section 5.2 recommends one).
    private static let driftMax: Int64 = 1

    package let secret: SecretBytes

    package init(secret: SecretBytes) { self.secret = secret }

    package static func step(at now: Instant) -> Int64 { now.seconds / stepSeconds }

    /// RFC 4226 section 5.3.
    package func code(step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = HMAC.sha1(counter, key: secret)
        let offset = Int(mac[19] & 15)
        let word = mac[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(word % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text
    }

    /// The time step of a valid code; nil if the code is wrong, or if its step is not later than
    /// `last`, the step of the last accepted code.
    ///
    /// A code is valid once (RFC 6238 section 5.2), and earlier codes become invalid with it. Every
    /// candidate is compared, so that the time does not depend on which one matches.
    package func acceptedStep(of code: String, at now: Instant, after last: Int64?) -> Int64? {
        let current = Self.step(at: now)
        let presented = Array(code.utf8)
        var accepted: Int64?
        for step in current - Self.driftMax...current + Self.driftMax {
            let isEqual = constantTimeEquals(presented, Array(self.code(step: step).utf8))
            if isEqual, step > last ?? .min { accepted = step }
        }
        return accepted
    }

    /// The URI for an authenticator app, as a link or a QR code
    /// (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
    package func uri(issuer: String, account: String) -> String {
        let issuer = PercentEncoding.encode(issuer)
        return "otpauth://totp/\(issuer):\(PercentEncoding.encode(account))"
            + "?secret=\(Base32.encode(secret.reveal()))&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.stepSeconds)"
    }
}
