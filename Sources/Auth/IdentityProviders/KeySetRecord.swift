internal import Bytes
internal import Cryptography
internal import JOSE
internal import KeyValueStore
internal import Time

/// A provider's key set and its validity.
struct KeySetRecord: Sendable {
    let jwks: [UInt8]
    let keys: KeySet
    let fetchedAt: Instant
    let freshUntil: Instant

    /// A set is fresh for an hour, or less if the provider's `max-age` is less, within limits: so
    /// that we neither fetch all the time nor use a withdrawn key for long.
    static let freshnessMax = Span.hours(1)
    static let freshnessMin = Span.minutes(5)
    /// How long a set is used after its freshness if the provider is unreachable.
    static let staleMax = Span.hours(24)

    init(jwks: [UInt8], keys: KeySet, fetchedAt: Instant, freshness: Span) {
        self.jwks = jwks
        self.keys = keys
        self.fetchedAt = fetchedAt
        freshUntil = fetchedAt + min(max(freshness, Self.freshnessMin), Self.freshnessMax)
    }

    var usableUntil: Instant { freshUntil + Self.staleMax }

    /// A set from the future was written by a machine with a wrong clock: treat it as stale.
    func isFresh(at now: Instant) -> Bool {
        now < freshUntil && fetchedAt <= now + Self.freshnessMin
    }

    func isUsable(at now: Instant) -> Bool { now < usableUntil }

    func holds(_ kid: String) -> Bool { keys.key(kid) != nil }
}

/// The rows of one key source. The partition is a hash, so that the URL's length does not matter;
/// the kid is hashed because it is untrusted.
struct KeySetRows {
    let set: ItemKey
    let lease: ItemKey
    private let partition: String

    init(provider: ProviderConfiguration, url: String) {
        let algorithms = provider.algorithms.map(\.rawValue).joined(separator: " ")
        let source = "\(provider.canonicalIssuer)\n\(algorithms)\n\(url)"
        partition = "jwks#" + Hex.encode(SHA256.hash(Array(source.utf8)))
        set = ItemKey(partition, "set")
        lease = ItemKey(partition, "lease")
    }

    func refused(_ kid: String) -> ItemKey {
        ItemKey(partition, "refused#" + Hex.encode(SHA256.hash(Array(kid.utf8))))
    }
}

extension KeySetRecord {
    private static let jwksName = "jwks"
    private static let fetchedAtName = "fetchedAt"
    private static let freshUntilName = "freshUntil"

    func item(_ key: ItemKey) -> Item {
        Item(
            key,
            [
                Self.jwksName: .bytes(jwks),
                Self.fetchedAtName: .integer(fetchedAt.milliseconds),
                Self.freshUntilName: .integer(freshUntil.milliseconds),
            ], expiresAt: usableUntil)
    }

    /// nil for an unreadable row, which is then fetched again and overwritten.
    init?(_ item: Item, algorithms: [Algorithm]) {
        guard case .bytes(let jwks)? = item.attributes[Self.jwksName],
            case .integer(let fetchedAt)? = item.attributes[Self.fetchedAtName],
            case .integer(let freshUntil)? = item.attributes[Self.freshUntilName],
            fetchedAt >= 0, freshUntil >= fetchedAt,
            let keys = try? ProviderKeys.parse(jwks, algorithms: algorithms)
        else { return nil }
        let fetched = Instant(milliseconds: fetchedAt)
        self.init(
            jwks: jwks, keys: keys, fetchedAt: fetched,
            freshness: Instant(milliseconds: freshUntil) - fetched)
    }
}
