internal import Synchronization
internal import Time

/// The cached results of Lambda authorizers.
final class DecisionCache: Sendable {
    struct Key: Hashable, Sendable {
        private let text: [UInt8]

        init(apiID: String, authorizer: String, identity: [String]) {
            // Length-prefixed, so that different lists never give the same key.
            text = ([apiID, authorizer] + identity).flatMap { part in
                Array("\(part.utf8.count):".utf8) + Array(part.utf8)
            }
        }
    }

    private struct Entry: Sendable {
        let verdict: LambdaAuthorizerResponse
        let end: Instant
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let entriesMax: Int

    init(entriesMax: Int) { self.entriesMax = entriesMax }

    func verdict(_ key: Key, now: Instant) -> LambdaAuthorizerResponse? {
        entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            guard now < entry.end else {
                entries[key] = nil
                return nil
            }
            return entry.verdict
        }
    }

    func keep(_ verdict: LambdaAuthorizerResponse, for key: Key, until end: Instant, now: Instant) {
        entries.withLock { entries in
            if entries.count >= entriesMax { entries = entries.filter { now < $0.value.end } }
            if entries.count >= entriesMax { entries = [:] }
            entries[key] = Entry(verdict: verdict, end: end)
        }
    }
}
