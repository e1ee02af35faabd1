internal import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
package import JOSE
internal import JSON
internal import KeyValueStore
internal import Synchronization
package import Time

/// The keys that sign our tokens: given by configuration, or made, kept and rotated here.
///
/// A made key is published for a while before it signs, so that whoever caches the key set has
/// seen it, and stays published until the last token that it signed has expired.
package struct KeyRing: Sendable {
    package static let rotationAge = Span.days(90)
    package static let publishedBeforeUse = Span.days(1)
    package static let publishedAfterUse = Span.days(2)
    /// How long a warm process trusts what it has read.
    static let memory = Span.minutes(1)
    static let keysPerPage = 16

    private let origin: Origin
    private let cache = Cache()

    private enum Origin: Sendable {
        case configured([SigningKey])
        case stored(Ground, Algorithm, AESGCMKey)
    }

    /// The first key signs; all of them verify.
    package init(configured keys: [SigningKey]) { origin = .configured(keys) }

    package init(stored ground: Ground, algorithm: Algorithm, sealing: AESGCMKey) {
        origin = .stored(ground, algorithm, sealing)
    }

    /// The key to sign with now.
    package func signingKey(at now: Instant) throws(Problem) -> SigningKey {
        if case .configured(let keys) = origin, let first = keys.first { return first }
        let entries = try entries(at: now, makesKeys: true)
        let inUse = entries.last { $0.usableFrom <= now } ?? entries.first
        guard let key = try? inUse?.material.signingKey() else { throw .fault(.signingFailed) }
        return key
    }

    /// Every key whose tokens may still be alive.
    package func verificationKeys(at now: Instant) throws(Problem) -> [VerificationKey] {
        try entries(at: now, makesKeys: false).map(\.verificationKey)
    }

    /// The same for whoever publishes them, making the first one where there is none.
    package func publishedKeys(at now: Instant) throws(Problem) -> [VerificationKey] {
        try entries(at: now, makesKeys: true).map(\.verificationKey)
    }

    /// Reads the store again: a token may be signed by a key that is younger than our memory.
    package func forget() { cache.entries.withLock { $0 = nil } }

    private func entries(at now: Instant, makesKeys: Bool) throws(Problem) -> [Entry] {
        switch origin {
        case .configured(let keys):
            return keys.map { key in
                Entry(
                    material: .key(key), verificationKey: key.verificationKey,
                    createdAt: .init(milliseconds: 0), slot: 0)
            }
        case .stored(let ground, let algorithm, let sealing):
            let known = cache.entries.withLock { $0 }
            if let known, known.readAt <= now, now < known.readAt + Self.memory,
                !known.entries.isEmpty
            {
                return known.entries
            }
            let shelf = KeyShelf(ground: ground, algorithm: algorithm, sealing: sealing)
            let entries = try makesKeys ? shelf.readMakingKeys(at: now) : shelf.read()
            cache.entries.withLock { $0 = Cache.Known(entries: entries, readAt: now) }
            return entries
        }
    }

    struct Entry: Sendable {
        let material: Material
        let verificationKey: VerificationKey
        let createdAt: Instant
        let slot: Int64

        /// The first key ever has no predecessor to sign meanwhile.
        var usableFrom: Instant { slot == 0 ? createdAt : createdAt + publishedBeforeUse }
    }

    /// What signs, made only when something is to be signed.
    enum Material: Sendable {
        case key(SigningKey)
        case exported(SecretBytes)

        func signingKey() throws(KeyFailure) -> SigningKey {
            switch self {
            case .key(let key): key
            case .exported(let bytes): try SigningKey(exported: bytes)
            }
        }

        var exported: SecretBytes {
            switch self {
            case .key(let key): key.exported()
            case .exported(let bytes): bytes
            }
        }
    }

    /// A key set is read once per cold process and once a minute in a warm one.
    private final class Cache: Sendable {
        struct Known: Sendable {
            let entries: [Entry]
            let readAt: Instant
        }
        let entries = Mutex<Known?>(nil)
    }
}
