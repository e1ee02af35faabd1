internal import AuthRecords
internal import Bytes
package import Cryptography
package import JOSE
internal import JSON
package import KeyValueStore
package import Time

/// Signing keys in the store: the private key encrypted with the master key, the public key as a
/// JWK, so that functions that only verify need no master key.
///
/// Slots are numbered, and a slot is only written if it is absent: of several processes that find
/// no key, one creates it and the others read it.
package struct StoredSigningKeys: Sendable {
    private static let keysPerPage = 16
    private static let publicKeyLimits = JSONLimits(bytesMax: 4 << 10, depthMax: 2)

    private var store: AuthStore
    private let random: RandomSource
    private let algorithm: Algorithm
    private let sealing: AESGCMKey?
    private let rotationAge: Span

    /// - Parameters:
    ///   - sealing: nil in a function that only verifies. HS256 has no public key, so a function
    ///     with HS256 always needs `sealing`.
    ///   - rotationAge: the age of a key at which the next one signs.
    package init(
        store: any KeyValueStore, random: RandomSource, algorithm: Algorithm, sealing: AESGCMKey?,
        rotationAge: Span = SigningKeys.rotationAge
    ) {
        self.store = AuthStore(store)
        self.random = random
        self.algorithm = algorithm
        self.sealing = sealing
        self.rotationAge = rotationAge
    }

    func measured(by meter: StoreMeter) -> StoredSigningKeys {
        var copy = self
        copy.store = store.measured(by: meter)
        return copy
    }

    func read() throws(AuthError) -> [StoredSigningKey] {
        var entries: [StoredSigningKey] = []
        for item in try store.everyItem(of: PartitionQuery(partition, limit: Self.keysPerPage)) {
            guard case .bytes(let sealed)? = item.attributes["sealed"],
                case .integer(let createdAt)? = item.attributes["createdAt"],
                let key = verificationKey(item, sealed)
            else { throw .fault(.sealedDataUnreadable) }
            var entry = StoredSigningKey(
                verificationKey: key, sealed: sealed,
                createdAt: Instant(milliseconds: createdAt), slot: slot(item.key))
            if case .integer(let usableFrom)? = item.attributes["usableFrom"] {
                entry.usableFrom = Instant(milliseconds: usableFrom)
            }
            entry.expiresAt = item.expiresAt
            entries.append(entry)
        }
        return entries
    }

    func readCreatingKeys(at now: Instant) throws(AuthError) -> [StoredSigningKey] {
        let entries = try read()
        guard sealing != nil else { return entries }
        guard let newest = entries.last else {
            try write([try newKey(slot: 0, at: now, usableFrom: now).write])
            return try read()
        }
        let writes =
            try now >= successorDue(to: newest)
            ? rotation(entries, at: now).writes : resealing(entries)
        guard !writes.isEmpty else { return entries }
        try write(writes)
        return try read()
    }

    /// When the key's successor must be published: one publishing period before the key stops
    /// signing.
    func successorDue(to key: StoredSigningKey) -> Instant {
        key.createdAt + rotationAge - SigningKeys.publishedBeforeUse
    }

    /// If the condition fails, another process has made the change.
    private func write(_ writes: [Write]) throws(AuthError) {
        _ = try store.attempt(writes)
    }

    /// Creates the successor of the newest key, published now, and sets the expiry of the newest.
    /// Nothing is written if a key already waits for its use.
    func rotation(
        _ entries: [StoredSigningKey], at now: Instant
    ) throws(AuthError) -> (key: SigningKeyChange, writes: [Write]) {
        guard let newest = entries.last else {
            let (kid, write) = try newKey(slot: 0, at: now, usableFrom: now)
            return (SigningKeyChange(kid: kid, signsFrom: now), [write])
        }
        guard newest.usableFrom <= now else {
            let kid = newest.verificationKey.kid ?? ""
            return (SigningKeyChange(kid: kid, signsFrom: newest.usableFrom), [])
        }
        let usableFrom = now + SigningKeys.publishedBeforeUse
        let (kid, write) = try newKey(slot: newest.slot + 1, at: now, usableFrom: usableFrom)
        return (
            SigningKeyChange(kid: kid, signsFrom: usableFrom),
            [write, try replaced(newest, expiresAt: usableFrom + SigningKeys.publishedAfterUse)]
        )
    }

    /// Removes a compromised key: it is no longer published or accepted. Its successor signs at
    /// once, so caches of the key set may miss the successor for a while.
    ///
    /// - Returns: nil if there is no such key.
    func retirement(
        of kid: String, _ entries: [StoredSigningKey], at now: Instant
    ) throws(AuthError) -> (key: SigningKeyChange, writes: [Write])? {
        guard
            let leaked = entries.first(where: { $0.verificationKey.kid?.isSame(as: kid) ?? false }),
            let signing = entries.last(where: { $0.usableFrom <= now }) ?? entries.first
        else { return nil }
        let deletion = Write.delete(key(leaked.slot), when: [.present])
        if leaked.slot < signing.slot {
            let kid = signing.verificationKey.kid ?? ""
            return (SigningKeyChange(kid: kid, signsFrom: signing.usableFrom), [deletion])
        }
        if leaked.slot == signing.slot, var next = entries.first(where: { $0.slot > leaked.slot }) {
            next.usableFrom = now
            return (
                SigningKeyChange(kid: next.verificationKey.kid ?? "", signsFrom: now),
                [deletion, try replaced(next, expiresAt: next.expiresAt)]
            )
        }
        let newest = entries.last ?? leaked
        let isSigning = leaked.slot == signing.slot
        let usableFrom = isSigning ? now : now + SigningKeys.publishedBeforeUse
        let (kid, write) = try newKey(slot: newest.slot + 1, at: now, usableFrom: usableFrom)
        // The expiry of the signing key depended on the removed key, so it is set again.
        let kept =
            isSigning
            ? [] : [try replaced(signing, expiresAt: usableFrom + SigningKeys.publishedAfterUse)]
        return (SigningKeyChange(kid: kid, signsFrom: usableFrom), [deletion, write] + kept)
    }

    /// Re-encrypts keys that a previous master key encrypted.
    private func resealing(_ entries: [StoredSigningKey]) throws(AuthError) -> [Write] {
        try entries.filter(isOutdated).map { entry throws(AuthError) in
            try replaced(entry, expiresAt: entry.expiresAt)
        }
    }

    private func isOutdated(_ entry: StoredSigningKey) -> Bool {
        guard let sealed = entry.sealed else { return false }
        return sealing?.isOutdated(sealed, additional: context(key(entry.slot))) ?? false
    }

    /// The number of keys that a previous master key encrypted.
    func outdatedCount() throws(AuthError) -> Int { try read().count(where: isOutdated) }

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
        try? sealing?.open(sealed, additional: context(key(slot)))
    }

    private func newKey(
        slot: Int64, at now: Instant, usableFrom: Instant
    ) throws(AuthError) -> (kid: String, write: Write) {
        guard let key = try? SigningKey.generate(algorithm, random: random) else {
            throw .fault(.signingFailed)
        }
        let item = try item(
            key, slot: slot, createdAt: now, usableFrom: usableFrom, expiresAt: nil)
        return (key.kid, .put(item, when: [.absent]))
    }

    /// The row of a key, re-encrypted, with another expiry.
    private func replaced(
        _ entry: StoredSigningKey, expiresAt: Instant?
    ) throws(AuthError) -> Write {
        let item = try item(
            try signingKey(entry), slot: entry.slot, createdAt: entry.createdAt,
            usableFrom: entry.usableFrom, expiresAt: expiresAt)
        guard let sealed = entry.sealed else { throw .fault(.signingFailed) }
        return .put(item, when: [.equals("sealed", .bytes(sealed))])
    }

    private func item(
        _ key: SigningKey, slot: Int64, createdAt: Instant, usableFrom: Instant,
        expiresAt: Instant?
    ) throws(AuthError) -> Item {
        let itemKey = self.key(slot)
        guard
            let sealed = try? sealing?.seal(
                key.exported(), additional: context(itemKey), random: random)
        else { throw .fault(.signingFailed) }
        var item = Item(
            itemKey,
            [
                "sealed": .bytes(sealed), "createdAt": .integer(createdAt.milliseconds),
                "usableFrom": .integer(usableFrom.milliseconds), "kid": .text(key.kid),
            ], expiresAt: expiresAt)
        if let jwk = key.publicJWK { item.attributes["publicKey"] = .bytes(jwk.serialized) }
        return item
    }

    private func key(_ slot: Int64) -> ItemKey { ItemKey(partition, sort(slot)) }

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

/// A stored key, ready to verify. It is decrypted only for signing.
struct StoredSigningKey: Sendable {
    let verificationKey: VerificationKey
    /// nil for a key from the configuration.
    let sealed: [UInt8]?
    let createdAt: Instant
    let slot: Int64
    var usableFrom: Instant
    /// Set once a successor is published.
    var expiresAt: Instant?

    init(verificationKey: VerificationKey, sealed: [UInt8]?, createdAt: Instant, slot: Int64) {
        self.verificationKey = verificationKey
        self.sealed = sealed
        self.createdAt = createdAt
        self.slot = slot
        // The first key can be used at once, because there is no older one.
        usableFrom = slot == 0 ? createdAt : createdAt + SigningKeys.publishedBeforeUse
    }
}

/// The signing key after a change, and when it starts signing.
package struct SigningKeyChange: Equatable, Sendable {
    package let kid: String
    package let signsFrom: Instant
}
