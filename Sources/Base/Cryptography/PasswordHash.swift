package import Bytes

/// A stored password hash: a PHC string with Argon2id, or a hash made by another system
/// (`ImportedHash`).
///
/// `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`
package enum PasswordHash {
    package typealias Cost = Argon2id.Cost

    /// ASVS 6.2.8 forbids truncation, so longer passwords are refused.
    package static let passwordBytesMax = 4096
    private static let saltByteCount = 16
    private static let tagByteCount = 32

    package static func hash(
        _ password: SecretBytes, cost: Cost, random: RandomSource
    ) throws(CryptoFailure) -> String {
        let salt = random.bytes(saltByteCount)
        let tag = try Argon2id.hash(password, salt: salt, cost: cost, count: tagByteCount)
        return PHCString(cost: cost, salt: salt, tag: tag).text
    }

    /// Uses the cost parameters of the stored hash, within limits.
    package static func verify(
        _ password: SecretBytes, phc text: String
    ) throws(CryptoFailure) -> Bool {
        guard text.hasPrefix(PHCString.algorithm) else {
            return try ImportedHash(parsing: text).verify(password)
        }
        let stored = try PHCString(parsing: text)
        let tag = try Argon2id.hash(
            password, salt: stored.salt, cost: stored.cost, count: stored.tag.count)
        return tag == stored.tag
    }

    /// Whether the text is an Argon2id hash that `verify` can compare with.
    package static func isValid(phc text: String) -> Bool {
        (try? PHCString(parsing: text)) != nil
    }

    /// The maximum work of an imported Argon2id hash, in KiB times passes: 64 MiB in four passes,
    /// PHP's default, is the highest default of common libraries. Anyone can cause that work with a
    /// wrong password.
    private static let importedWorkMax = 4 * 64 << 10
    private static let importedMemoryKiBMax = 128 << 10

    /// Whether `verify` supports this hash, whichever system made it, at a cost that is acceptable
    /// for a login.
    package static func isImportable(_ text: String) -> Bool {
        guard text.hasPrefix(PHCString.algorithm) else {
            return (try? ImportedHash(parsing: text)) != nil
        }
        guard let cost = try? PHCString(parsing: text).cost else { return false }
        return cost.memoryKiB <= importedMemoryKiBMax
            && cost.memoryKiB * cost.passes <= importedWorkMax
    }

    /// Whether the password should be hashed again at the next sign-in: the hash is not Argon2id,
    /// or has another cost or a shorter salt or tag.
    package static func needsRehash(phc text: String, cost: Cost) -> Bool {
        guard let stored = try? PHCString(parsing: text) else { return true }
        return stored.cost != cost || stored.salt.count < saltByteCount
            || stored.tag.count < tagByteCount
    }
}
