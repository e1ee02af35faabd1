import Time

/// The keys that sign access tokens.
struct KeyFacts {
    /// Keys that were retired, and when.
    private(set) var retired: [String: Instant] = [:]
    /// The key that signed the latest access token.
    private(set) var latest: String?
    /// The latest access token signed by each key.
    private var tokens: [String: String] = [:]

    /// Functions learn of a retired key within this time.
    private static let memory = Span.seconds(62)

    mutating func note(_ token: String, of key: String?) {
        latest = key
        if let key { tokens[key] = token }
    }

    mutating func retire(_ key: String, at now: Instant) { retired[key] = now }

    func isRetired(_ key: String?, at now: Instant) -> Bool {
        key.flatMap { retired[$0] }.map { $0 + Self.memory < now } ?? false
    }

    /// Some functions may not know yet that a key is retired, and still sign with it. Other
    /// functions refuse such tokens.
    func mayDiffer(at now: Instant) -> Bool {
        retired.values.contains { now <= $0 + Self.memory }
    }

    /// One token signed by each retired key. Each key is returned only once.
    mutating func tokensOfRetired() -> [String] {
        retired.keys.sorted().compactMap { tokens.removeValue(forKey: $0) }
    }
}
