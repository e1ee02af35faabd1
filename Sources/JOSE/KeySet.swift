internal import Bytes
package import JSON

/// The keys that may have signed a token, each under its own name.
package struct KeySet: Sendable {
    package static let keysMax = 64

    package let keys: [VerificationKey]

    package init(_ keys: [VerificationKey]) throws(KeyFailure) {
        guard keys.count <= Self.keysMax else { throw .tooManyKeys }
        for (index, key) in keys.enumerated() {
            guard let kid = key.kid else { continue }
            // RFC 7517 section 4.5. Which of two keys a name means must not depend on order.
            guard !keys[..<index].contains(where: { $0.isNamed(kid) }) else {
                throw .duplicateKeyID
            }
        }
        let secretCount = keys.count { $0.algorithm == .hs256 }
        guard secretCount == 0 || secretCount == keys.count else { throw .mixedKinds }
        self.keys = keys
    }

    /// From a published key set.
    ///
    /// RFC 7517 section 5: keys that we cannot use are skipped, and so are those that we must not
    /// use. A secret in a published set is one of the latter. A set with nothing left is refused,
    /// so that it does not take the place of a good one in a cache.
    package init(jwks: JSON) throws(KeyFailure) {
        guard let values = jwks["keys"]?.arrayValue else { throw .malformed }
        guard values.count <= Self.keysMax else { throw .tooManyKeys }
        var keys: [VerificationKey] = []
        for value in values {
            guard let object = value.objectValue else { throw .malformed }
            guard let key = try? VerificationKey(jwk: object), key.algorithm != .hs256 else {
                continue
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .noUsableKey }
        try self.init(keys)
    }

    /// The key of exactly that name, compared as bytes.
    package func key(_ kid: String) -> VerificationKey? {
        keys.first { $0.isNamed(kid) }
    }

    /// The keys that a token with this `kid` may be verified with.
    ///
    /// A named key answers to its name alone and a nameless one to tokens without a name. There is
    /// no default key, and no trying of all.
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
