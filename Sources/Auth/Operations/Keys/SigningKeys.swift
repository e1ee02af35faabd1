internal import AuthDomain
internal import Bytes
package import JOSE
internal import Synchronization
package import Time

/// The keys that sign access tokens: configured, or generated, stored and rotated here.
///
/// A generated key is published for a while before it signs, so that every cache of the key set has
/// it, and remains published until the last token signed with it has expired.
package struct SigningKeys: Sendable {
    package static let rotationAge = Span.days(90)
    package static let publishedBeforeUse = Span.days(1)
    package static let publishedAfterUse = Span.days(2)
    /// How long a warm process caches keys.
    static let memory = Span.minutes(1)
    /// The minimum interval between reads caused by unknown key IDs, which any client can invent.
    static let unknownKeyPause = Span.seconds(5)

    private var source: Source
    private let cache = Cache()

    private enum Source: Sendable {
        case configured(SigningKey, Known)
        case stored(StoredSigningKeys)
    }

    /// The first key signs; all of them verify.
    package init(configured first: SigningKey, _ others: [SigningKey] = []) throws(KeyFailure) {
        let entries = ([first] + others).map { key in
            StoredSigningKey(
                verificationKey: key.verificationKey, sealed: nil,
                createdAt: Instant(milliseconds: 0), slot: 0)
        }
        source = .configured(first, try Known(entries, readAt: Instant(milliseconds: 0)))
    }

    package init(stored: StoredSigningKeys) { source = .stored(stored) }

    /// The signing key that the operator configured; nil if the keys are generated.
    package var configuredKey: SigningKey? {
        if case .configured(let key, _) = source { key } else { nil }
    }

    package func signingKey(at now: Instant) throws(AuthError) -> SigningKey {
        let stored: StoredSigningKeys
        switch source {
        case .configured(let key, _): return key
        case .stored(let keys): stored = keys
        }
        let known = try known(at: now, createsKeys: true)
        guard let entry = known.entries.last(where: { $0.usableFrom <= now }) ?? known.entries.first
        else { throw .fault(.signingFailed) }
        let name = entry.verificationKey.kid ?? ""
        if let ready = cache.state.withLock({ $0.signingKey }), ready.kid.isSame(as: name) {
            return ready
        }
        let key = try stored.signingKey(entry)
        cache.state.withLock { $0.signingKey = key }
        return key
    }

    /// The keys that may have signed unexpired tokens.
    package func verificationKeys(at now: Instant) throws(AuthError) -> KeySet {
        try known(at: now, createsKeys: false).keySet
    }

    /// The verification keys for tokens without a key ID.
    package func namelessKeys(at now: Instant) throws(AuthError) -> KeySet {
        try known(at: now, createsKeys: false).nameless
    }

    /// The verification keys for publication; creates the first key if there is none.
    package func publishedKeys(at now: Instant) throws(AuthError) -> [VerificationKey] {
        try known(at: now, createsKeys: true).entries.map(\.verificationKey)
    }

    /// Reads the store again for an unknown key ID, because the token may be signed with a key
    /// newer than the cache. Returns false if the store was read a moment ago.
    package func forgetForUnknownKey(at now: Instant) -> Bool {
        guard case .stored = source else { return false }
        return cache.state.withLock { state in
            if let last = state.forgottenAt, last <= now, now < last + Self.unknownKeyPause {
                return false
            }
            state.forgottenAt = now
            state.known = nil
            return true
        }
    }

    /// The generated keys; nil if the operator configured the keys.
    var stored: StoredSigningKeys? {
        if case .stored(let keys) = source { keys } else { nil }
    }

    /// The same keys and cache, for one request whose store calls are measured.
    func measured(by meter: StoreMeter) -> SigningKeys {
        guard case .stored(let keys) = source else { return self }
        var copy = self
        copy.source = .stored(keys.measured(by: meter))
        return copy
    }

    /// Clears the cache.
    func forget() { cache.state.withLock { $0.known = nil } }

    private func known(at now: Instant, createsKeys: Bool) throws(AuthError) -> Known {
        switch source {
        case .configured(_, let known): return known
        case .stored(let stored):
            let cached = cache.state.withLock { $0.known }
            if let cached, cached.readAt <= now, now < cached.readAt + Self.memory,
                !cached.entries.isEmpty
            {
                return cached
            }
            let entries = try createsKeys ? stored.readCreatingKeys(at: now) : stored.read()
            guard let known = try? Known(entries, readAt: now) else {
                throw .fault(.storedDataUnreadable)
            }
            cache.state.withLock { $0.known = known }
            return known
        }
    }

    /// The cached keys.
    private struct Known: Sendable {
        let entries: [StoredSigningKey]
        let keySet: KeySet
        let nameless: KeySet
        let readAt: Instant

        init(_ entries: [StoredSigningKey], readAt: Instant) throws(KeyFailure) {
            self.entries = entries
            self.readAt = readAt
            // An access token is presented many times until it expires.
            let keys = entries.map(\.verificationKey.remembering)
            keySet = try KeySet(keys)
            nameless = try KeySet(keys.map(\.nameless))
        }
    }

    /// All copies of `SigningKeys` share this cache.
    private final class Cache: Sendable {
        struct State: Sendable {
            var known: Known?
            /// The last used signing key, decrypted and parsed.
            var signingKey: SigningKey?
            var forgottenAt: Instant?
        }
        let state = Mutex(State())
    }
}
