internal import Bytes
internal import EmulatorBase
internal import JOSE
internal import JSON
internal import Synchronization
internal import Time

/// A cache of issuers' key sets. Each is fetched once for all waiting requests and kept for at most
/// two hours. Failures are not cached.
final class JWKSCache: Sendable {
    typealias Completion = @Sendable (KeySet?) -> Void

    private struct Entry {
        var keys: KeySet?
        var fetched: Instant?
        /// The waiting callers; not empty while a fetch is in progress.
        var waiting: [Completion] = []
    }

    private let entries = Mutex<[TextKey: Entry]>([:])
    private let fetch: FetchDocument
    private let options: GatewayOptions

    init(fetch: @escaping FetchDocument, options: GatewayOptions) {
        self.fetch = fetch
        self.options = options
    }

    /// `isMissingKey` requests newer keys, because the cached set lacks the token's key.
    func keys(
        of issuer: String, isMissingKey: Bool, now: Instant, completion: @escaping Completion
    ) {
        enum Step { case answer(KeySet?), wait, fetch }
        let step: Step = entries.withLock { entries in
            var entry = entries[TextKey(issuer)] ?? Entry()
            let limit = isMissingKey ? options.keySetRefetchInterval : options.keySetAgeMax
            if let keys = entry.keys, let fetched = entry.fetched, now - fetched < limit {
                return .answer(keys)
            }
            entry.waiting.append(completion)
            entries[TextKey(issuer)] = entry
            return entry.waiting.count == 1 ? .fetch : .wait
        }
        switch step {
        case .answer(let keys): completion(keys)
        case .wait: break
        case .fetch: fetchKeys(of: issuer, now: now)
        }
    }

    private func fetchKeys(of issuer: String, now: Instant) {
        let base = issuer.has(suffix: "/") ? String(issuer.dropLast()) : issuer
        fetch("\(base)/.well-known/openid-configuration") { [self] bytes in
            guard let url = document(bytes)?["jwks_uri"]?.stringValue else {
                return finish(issuer, nil, now: now)
            }
            fetch(url) { [self] bytes in
                finish(issuer, document(bytes).flatMap(Self.keySet), now: now)
            }
        }
    }

    private func document(_ bytes: [UInt8]?) -> JSON? {
        guard let bytes, bytes.count <= options.keySetBytesMax else { return nil }
        return try? JSON.parse(bytes, limits: .keySet)
    }

    /// Only RSA keys are used, because an HTTP API supports no other algorithm.
    private static func keySet(_ document: JSON) -> KeySet? {
        guard let set = try? KeySet(jwks: document) else { return nil }
        return try? KeySet(set.keys.filter { $0.algorithm == .rs256 })
    }

    private func finish(_ issuer: String, _ keys: KeySet?, now: Instant) {
        let (waiting, known) = entries.withLock { entries in
            var entry = entries[TextKey(issuer)] ?? Entry()
            let waiting = entry.waiting
            entry.waiting = []
            if let keys { (entry.keys, entry.fetched) = (keys, now) }
            entries[TextKey(issuer)] = entry
            // If a fetch fails, keys within their maximum age are used.
            let isFresh = entry.fetched.map { now - $0 < options.keySetAgeMax } ?? false
            return (waiting, isFresh ? entry.keys : nil)
        }
        for completion in waiting { completion(known) }
    }
}
