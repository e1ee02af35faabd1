internal import Bytes
package import JSON

/// The keys that may have signed a token, each with its key ID.
package struct KeySet: Sendable {
    package static let keysMax = 64

    package let keys: [VerificationKey]

    /// The content of a set in JWK form.
    package enum Content: Sendable {
        /// Published keys. A symmetric key among them is skipped: it cannot be secret.
        case publicKeys
        /// HS256 secrets from our own configuration.
        case secrets
    }

    package init(_ keys: [VerificationKey]) throws(KeyFailure) {
        guard keys.count <= Self.keysMax else { throw .tooManyKeys }
        try Self.checkNames(keys.compactMap(\.kid))
        let secretCount = keys.count { $0.algorithm == .hs256 }
        guard secretCount == 0 || secretCount == keys.count else { throw .mixedKinds }
        self.keys = keys
    }

    /// Reads a JWK set (RFC 7517 section 5).
    ///
    /// Keys with another use, of unsupported types, or refused as weak are skipped. The ID of a
    /// skipped key remains reserved, so that no other key is accepted under it. A set without any
    /// usable key is refused, so that it does not replace a usable set in a cache.
    package init(jwks: JSON, holding content: Content = .publicKeys) throws(KeyFailure) {
        guard let values = jwks["keys"]?.arrayValue else { throw .malformed }
        guard values.count <= Self.keysMax else { throw .tooManyKeys }
        var keys: [VerificationKey] = []
        var brokenNames: [String] = []
        for value in values {
            guard let object = value.objectValue else { throw .malformed }
            do throws(KeyFailure) {
                let key = try VerificationKey(jwk: object)
                if content == .secrets || key.algorithm != .hs256 { keys.append(key) }
            } catch .unsupported {
                continue
            } catch .wrongUse {
                continue
            } catch {
                if let name = object["kid"]?.stringValue { brokenNames.append(name) }
            }
        }
        try Self.checkNames(keys.compactMap(\.kid) + brokenNames)
        guard !keys.isEmpty else { throw .noUsableKey }
        try self.init(keys)
        guard content == .publicKeys || keys.allSatisfy({ $0.algorithm == .hs256 }) else {
            throw .mixedKinds
        }
    }

    /// RFC 7517 section 4.5. Duplicate key IDs are refused: the result must not depend on the
    /// order.
    private static func checkNames(_ names: [String]) throws(KeyFailure) {
        for (index, name) in names.enumerated() {
            guard !names[..<index].contains(where: name.isSame(as:)) else {
                throw .duplicateKeyID
            }
        }
    }

    /// The key with exactly that ID, compared as bytes.
    package func key(_ kid: String) -> VerificationKey? {
        keys.first { $0.isNamed(kid) }
    }

    /// The keys that may verify a token with this `kid`.
    ///
    /// A key with an ID verifies only tokens with the same `kid`, a key without one only tokens
    /// without `kid`. There is no default key, and keys are not tried in turn.
    func candidates(_ kid: String?) throws(TokenFailure) -> [VerificationKey] {
        if let kid {
            guard let key = key(kid) else { throw .unknownKeyID }
            return [key]
        }
        let nameless = keys.filter { $0.kid == nil }
        guard !nameless.isEmpty else { throw .missingKeyID }
        return nameless
    }
}

extension VerificationKey {
    fileprivate func isNamed(_ name: String) -> Bool { kid?.isSame(as: name) ?? false }
}
