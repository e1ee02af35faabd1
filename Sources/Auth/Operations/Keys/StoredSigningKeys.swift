internal import AuthRecords
internal import Bytes
package import Cryptography
package import JOSE
internal import JSON
package import KeyValueStore
internal import Time

/// Signing keys in the store: the private key encrypted with the master key, the public key as a
/// JWK, so that functions that only verify need no master key.
///
/// Slots are numbered, and a slot is only written if it is absent: of several processes that find
/// no key, one creates it and the others read it.
package struct StoredSigningKeys: Sendable {
    private static let keysPerPage = 16
    private static let publicKeyLimits = JSONLimits(bytesMax: 4 << 10, depthMax: 2)

    private let store: any KeyValueStore
    private let random: RandomSource
    private let algorithm: Algorithm
    private let sealing: AESGCMKey?

    /// - Parameter sealing: nil in a function that only verifies; HS256 has no public key, so it
    ///   always needs it.
    package init(
        store: any KeyValueStore, random: RandomSource, algorithm: Algorithm, sealing: AESGCMKey?
    ) {
        self.store = store
        self.random = random
        self.algorithm = algorithm
        self.sealing = sealing
    }

    func read() throws(AuthError) -> [StoredSigningKey] {
        var entries: [StoredSigningKey] = []
        for item in try everyItem(of: store, PartitionQuery(partition, limit: Self.keysPerPage)) {
            guard case .bytes(let sealed)? = item.attributes["sealed"],
                case .integer(let createdAt)? = item.attributes["createdAt"],
                let key = verificationKey(item, sealed)
            else { throw .fault(.sealedDataUnreadable) }
            entries.append(
                StoredSigningKey(
                    verificationKey: key, sealed: sealed,
                    createdAt: Instant(milliseconds: createdAt), slot: slot(item.key)))
        }
        return entries
    }

    func readMakingKeys(at now: Instant) throws(AuthError) -> [StoredSigningKey] {
        let entries = try read()
        guard sealing != nil else { return entries }
        guard let newest = entries.last else {
            try make(slot: 0, retiring: nil, at: now)
            return try read()
        }
        // Due one publishing period before the end of the old key's use.
        let due = newest.createdAt + SigningKeys.rotationAge - SigningKeys.publishedBeforeUse
        guard now >= due else { return entries }
        try make(slot: newest.slot + 1, retiring: newest, at: now)
        return try read()
    }

    func signingKey(_ entry: StoredSigningKey) throws(AuthError) -> SigningKey {
        guard let sealed = entry.sealed, let exported = open(sealed, slot: entry.slot),
            let key = try? SigningKey(exported: exported)
        else { throw .fault(.signingFailed) }
        return key
    }

    /// With the master key, only the encrypted key is trusted, not the public copy.
    private func verificationKey(_ item: Item, _ sealed: [UInt8]) -> VerificationKey? {
        if sealing != nil {
            guard let exported = open(sealed, slot: slot(item.key)) else { return nil }
            return try? SigningKey.verificationKey(exported: exported)
        }
        guard case .bytes(let jwk)? = item.attributes["publicKey"],
            let parsed = try? JSON.parse(jwk, limits: Self.publicKeyLimits),
            let object = parsed.objectValue,
            let key = try? VerificationKey(jwk: object), key.algorithm == algorithm
        else { return nil }
        return key
    }

    private func open(_ sealed: [UInt8], slot: Int64) -> SecretBytes? {
        try? sealing?.open(sealed, additional: context(ItemKey(partition, sort(slot))))
    }

    private func make(
        slot: Int64, retiring old: StoredSigningKey?, at now: Instant
    ) throws(AuthError) {
        guard let key = try? SigningKey.generate(algorithm, random: random) else {
            throw .fault(.signingFailed)
        }
        var writes = [try put(key, slot: slot, createdAt: now, expiresAt: nil, when: .absent)]
        if let old {
            let lastUse = now + SigningKeys.publishedBeforeUse
            writes.append(
                try put(
                    try signingKey(old), slot: old.slot, createdAt: old.createdAt,
                    expiresAt: lastUse + SigningKeys.publishedAfterUse, when: .present))
        }
        let transaction = writes
        // Losing this race means that the key exists.
        _ = try attempted { () throws(StoreFailure) in try store.write(transaction) }
    }

    private func put(
        _ key: SigningKey, slot: Int64, createdAt: Instant, expiresAt: Instant?,
        when condition: Condition
    ) throws(AuthError) -> Write {
        let itemKey = ItemKey(partition, sort(slot))
        guard
            let sealed = try? sealing?.seal(
                key.exported(), additional: context(itemKey), random: random)
        else { throw .fault(.signingFailed) }
        var item = Item(
            itemKey,
            [
                "sealed": .bytes(sealed), "createdAt": .integer(createdAt.milliseconds),
                "kid": .text(key.kid),
            ], expiresAt: expiresAt)
        if let jwk = key.publicJWK { item.attributes["publicKey"] = .bytes(jwk.serialized) }
        return .put(item, when: [condition])
    }

    private var partition: String { StoreLayout.signingKeys(algorithm.rawValue) }

    private func slot(_ key: ItemKey) -> Int64 { Int64(key.sort) ?? 0 }

    /// Padded, so that byte order is numeric order.
    private func sort(_ slot: Int64) -> String {
        let digits = String(slot)
        return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    /// Binds an encrypted key to its row.
    private func context(_ key: ItemKey) -> [UInt8] {
        Array("latchkey signing key\0\(key.partition)\0\(key.sort)".utf8)
    }
}

/// A stored key: ready to verify, decrypted only when it signs.
struct StoredSigningKey: Sendable {
    let verificationKey: VerificationKey
    /// nil for a key from the configuration.
    let sealed: [UInt8]?
    let createdAt: Instant
    let slot: Int64

    /// The first key can be used at once, because there is no older one.
    var usableFrom: Instant { slot == 0 ? createdAt : createdAt + SigningKeys.publishedBeforeUse }
}
