internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import JOSE
internal import Time

/// `SIGNING_KEY`, `JWT_SECRET`: keys that the operator provides. Without them the functions
/// generate, store and rotate their own.
enum KeySettings {
    static let keysMax = 8

    /// `KEY_ROTATION_DAYS`: the age of a generated key at which the next one signs.
    static func rotation(_ reader: inout SettingsReader) -> Span {
        reader.integer("KEY_ROTATION_DAYS", 7...3650).map { .days($0) } ?? SigningKeys.rotationAge
    }

    /// `JWT_ALGORITHM`: one of the contract's algorithms.
    static func algorithm(
        _ reader: inout SettingsReader, _ policy: AccessTokenPolicy
    ) -> AccessTokenPolicy.Algorithm {
        guard let name = reader.text("JWT_ALGORITHM") else { return policy.algorithm }
        let choices = [policy.algorithm] + policy.otherAlgorithms
        if let chosen = choices.first(where: { Algorithm($0).rawValue.isSame(as: name) }) {
            return chosen
        }
        let names = choices.map { Algorithm($0).rawValue }.joined(separator: " or ")
        reader.refuse("JWT_ALGORITHM must be \(names), which the contract signs with")
        return policy.algorithm
    }

    /// nil: the functions manage their own keys.
    static func read(
        _ reader: inout SettingsReader, algorithm: Algorithm
    ) -> SigningKeys? {
        if algorithm == .hs256 {
            guard let secret = reader.secret("JWT_SECRET") else { return nil }
            guard let key = try? SigningKey.secret(secret) else {
                reader.refuse("JWT_SECRET must hold at least 32 bytes")
                return nil
            }
            return try? SigningKeys(configured: key)
        }
        guard let pem = reader.secret("SIGNING_KEY") else { return nil }
        let blocks = split(pem)
        let keys = blocks.compactMap { try? SigningKey(pem: $0) }
        // Duplicate keys would have the same key ID, and every token would be refused.
        guard let first = keys.first, keys.count == blocks.count, keys.count <= keysMax,
            keys.allSatisfy({ $0.algorithm == algorithm }),
            let configured = try? SigningKeys(configured: first, Array(keys.dropFirst()))
        else {
            reader.refuse(
                "SIGNING_KEY must hold private keys for \(algorithm.rawValue) in PEM, the "
                    + "signing key first")
            return nil
        }
        return configured
    }

    /// Splits a text into its PEM blocks.
    private static func split(_ pem: SecretBytes) -> [SecretBytes] {
        let end = Array("-----END".utf8)
        var blocks: [[UInt8]] = [[]]
        for line in pem.reveal().split(separator: 0x0A) {
            blocks[blocks.count - 1] += line + [0x0A]
            if line.starts(with: end) { blocks.append([]) }
        }
        return blocks.filter { !$0.isEmpty }.map { SecretBytes($0) }
    }
}
