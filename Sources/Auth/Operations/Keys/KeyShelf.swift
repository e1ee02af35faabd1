internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import KeyValueStore
internal import Time

/// Signing keys in the store, sealed. Slots are numbered, and a slot is written only while it is
/// absent: of a hundred processes that find no key, one makes it and the others read that one.
struct KeyShelf {
    let ground: Ground
    let algorithm: Algorithm
    let sealing: AESGCMKey

    private var partition: String { StoreLayout.signingKeys(algorithm.rawValue) }

    func read() throws(Problem) -> [KeyRing.Entry] {
        var entries: [KeyRing.Entry] = []
        for item in try items() {
            guard case .bytes(let sealed)? = item.attributes["sealed"],
                case .integer(let createdAt)? = item.attributes["createdAt"],
                let opened = try? sealing.open(sealed, additional: context(item.key)),
                let key = try? SigningKey.verificationKey(exported: opened)
            else { throw .fault(.sealedDataUnreadable) }
            entries.append(
                KeyRing.Entry(
                    material: .exported(opened), verificationKey: key,
                    createdAt: Instant(milliseconds: createdAt), slot: slot(item.key)))
        }
        return entries
    }

    func readMakingKeys(at now: Instant) throws(Problem) -> [KeyRing.Entry] {
        let entries = try read()
        guard let newest = entries.last else {
            try make(slot: 0, retiring: nil, at: now)
            return try read()
        }
        // Due one publishing period before the old key's time is over.
        let due = newest.createdAt + KeyRing.rotationAge - KeyRing.publishedBeforeUse
        guard now >= due else { return entries }
        try make(slot: newest.slot + 1, retiring: newest, at: now)
        return try read()
    }

    private func make(
        slot: Int64, retiring old: KeyRing.Entry?, at now: Instant
    ) throws(Problem) {
        guard let key = try? SigningKey.generate(algorithm, random: ground.random) else {
            throw .fault(.signingFailed)
        }
        var writes = [
            try put(key.exported(), kid: key.kid, slot: slot, createdAt: now, expiresAt: nil)
        ]
        if let old {
            let lastUse = now + KeyRing.publishedBeforeUse
            writes.append(
                try put(
                    old.material.exported, kid: old.verificationKey.kid ?? "", slot: slot - 1,
                    createdAt: old.createdAt,
                    expiresAt: lastUse + KeyRing.publishedAfterUse, replacing: true))
        }
        // Losing this race means that the key is there.
        _ = try attempted { () throws(StoreFailure) in try ground.store.write(writes) }
    }

    private func put(
        _ exported: SecretBytes, kid: String, slot: Int64, createdAt: Instant, expiresAt: Instant?,
        replacing: Bool = false
    ) throws(Problem) -> Write {
        let itemKey = ItemKey(partition, sort(slot))
        guard
            let sealed = try? sealing.seal(
                exported, additional: context(itemKey), random: ground.random)
        else { throw .fault(.signingFailed) }
        let item = Item(
            itemKey,
            [
                "sealed": .bytes(sealed), "createdAt": .integer(createdAt.milliseconds),
                "kid": .text(kid),
            ], expiresAt: expiresAt)
        return .put(item, when: [replacing ? .present : .absent])
    }

    private func items() throws(Problem) -> [Item] {
        try everyItem(of: ground.store, PartitionQuery(partition, limit: KeyRing.keysPerPage))
    }

    private func slot(_ key: ItemKey) -> Int64 { Int64(key.sort) ?? 0 }

    /// Padded, so that byte order is numeric order.
    private func sort(_ slot: Int64) -> String {
        let digits = String(slot)
        return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    /// A sealed key opens only in the row that it was sealed for.
    private func context(_ key: ItemKey) -> [UInt8] {
        Array("latchkey signing key\0\(key.partition)\0\(key.sort)".utf8)
    }
}
