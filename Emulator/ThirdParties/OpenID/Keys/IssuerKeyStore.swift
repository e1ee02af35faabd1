internal import Bytes
internal import JOSE
internal import JSON
internal import Synchronization
internal import Time

/// The signing keys of one issuer, made at first use and stored: an RSA key takes a fifth of a
/// second of processor time, and most test runs do not need one.
final class IssuerKeyStore: Sendable {
    /// There are at least two published keys, as with real providers, so that an app that always
    /// uses the first key fails.
    static let publishedMin = 2
    private static let publishedMax = 4
    private static let hiddenMax = 2

    /// A key of the issuer. The entries are ordered newest first.
    private struct Entry: Sendable {
        let key: SigningKey
        var isPublished: Bool
    }

    private let name: String
    private let algorithm: Algorithm
    private let store: RecordStore
    private let ports: IdentityPorts
    private let entries = Mutex<[Entry]>([])
    /// How many keys were ever made. The keys in a shared folder are named by this number.
    private let made = Atomic(0)

    init(name: String, algorithm: Algorithm, store: RecordStore, ports: IdentityPorts) {
        self.name = name
        self.algorithm = algorithm
        self.store = store
        self.ports = ports
    }

    /// The current signing key.
    func current() throws(OAuthError) -> SigningKey { try ready(1)[0].key }

    /// The signing key before the last rotation; before any rotation, the other published key.
    func previous() throws(OAuthError) -> SigningKey { try ready(Self.publishedMin)[1].key }

    /// How many slow keys (RSA) the first sign-in would have to make.
    var missingRSA: Int {
        guard algorithm == SpareKeys.algorithm else { return 0 }
        return entries.withLock { entries in
            if entries.isEmpty { entries = (try? stored()) ?? [] }
            return max(0, Self.publishedMin - entries.count(where: \.isPublished))
        }
    }

    /// Drops the cached keys, so that the stored ones are loaded.
    func forget() { entries.withLock { $0 = [] } }

    func published() throws(OAuthError) -> [SigningKey] {
        try ready(Self.publishedMin).filter(\.isPublished).map(\.key)
    }

    /// Rotates to a new signing key. The old keys are removed, or remain published.
    func rotate(keepsOld: Bool) throws(OAuthError) {
        _ = try ready(Self.publishedMin)
        try entries.withLock { entries throws(OAuthError) in
            var all = entries
            if !keepsOld { for index in all.indices { all[index].isPublished = false } }
            all.insert(try new(), at: 0)
            try commit(&all, count: Self.publishedMin)
            entries = all
        }
    }

    /// The published keys, at least `count`: issuing a token needs only one and does not wait for a
    /// second.
    private func ready(_ count: Int) throws(OAuthError) -> [Entry] {
        try entries.withLock { entries throws(OAuthError) in
            if entries.isEmpty { entries = try stored() }
            if entries.count(where: \.isPublished) < count {
                var all = entries
                try commit(&all, count: count)
                entries = all
            }
            return entries
        }
    }

    /// Adds missing keys, removes surplus ones and stores the result.
    private func commit(_ all: inout [Entry], count: Int) throws(OAuthError) {
        while all.count(where: \.isPublished) < count {
            // New keys come after those that have signed tokens.
            all.append(try new())
        }
        var (published, hidden) = (0, 0)
        all = all.filter { entry in
            published += entry.isPublished ? 1 : 0
            hidden += entry.isPublished ? 0 : 1
            return entry.isPublished ? published <= Self.publishedMax : hidden <= Self.hiddenMax
        }
        let record: [JSON] = all.map { entry in
            [
                "key": .string(Base64.encode(entry.key.exported().reveal())),
                "published": .bool(entry.isPublished),
            ]
        }
        let name = name
        let made = Int64(made.load(ordering: .relaxed))
        try store.write(at: ports.clock.now()) { records throws(OAuthError) in
            try records.put(
                .keys, Records.key(name), ["keys": .array(record), "made": .number(made)])
        }
    }

    private func new() throws(OAuthError) -> Entry {
        let number = made.add(1, ordering: .relaxed).newValue
        return Entry(
            key: try ports.newKey("\(name)-\(algorithm.rawValue)-\(number)", algorithm),
            isPublished: true)
    }

    private func stored() throws(OAuthError) -> [Entry] {
        let name = name
        let record = try store.read { records throws(OAuthError) in
            try records.get(.keys, Records.key(name))
        }
        let keys = record?["keys"]?.arrayValue ?? []
        made.store(
            record?["made"]?.int64Value.map(Int.init) ?? keys.count, ordering: .relaxed)
        return keys.compactMap { value -> Entry? in
            guard let text = value["key"]?.stringValue, let bytes = Base64.decode(text),
                let key = try? SigningKey(exported: SecretBytes(bytes)),
                key.algorithm == algorithm
            else { return nil }
            return Entry(key: key, isPublished: value["published"]?.boolValue ?? true)
        }
    }
}
