internal import Bytes
internal import Cryptography
internal import Time

/// The code of an authenticator app (RFC 6238): HMAC-SHA-1, six digits, 30 seconds.
struct OneTimeCode {
    /// The secret in base 32. It may contain placeholders.
    let secret: String
    /// The number of codes after the current one.
    let ahead: Int64

    func text(secret base32: String, at now: Instant) throws(FixtureFailure) -> String {
        guard let key = Base32.decode(base32), !key.isEmpty else {
            throw FixtureFailure("the secret of a one-time code is not in base 32")
        }
        let step = UInt64(clamping: now.seconds / 30 + ahead)
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        let mac = HMAC.sha1(counter, key: SecretBytes(key))
        let start = Int(mac[19] & 15)
        let word = mac[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return String(String(1_000_000 + word % 1_000_000).dropFirst())
    }
}
