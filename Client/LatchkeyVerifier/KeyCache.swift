internal import Foundation
internal import JOSE
internal import JSON
internal import LatchkeyClient

/// The server's public keys, with the same caching rules as the functions' cache of provider keys.
///
/// - They are fresh for an hour, and usable for a day more while the server is unreachable.
/// - An unknown key ID causes another fetch, at most once a minute: key IDs are untrusted and must
///   not control the number of requests.
/// - A failure never replaces keys. While there are none, the server is asked once a second at
///   most.
actor KeyCache {
    static let freshTime = Duration.seconds(3600)
    static let usableTime = freshTime + .seconds(86_400)
    static let refetchPause = Duration.seconds(60)
    static let retryPause = Duration.seconds(1)
    static let answerBytesMax = 256 << 10
    private static let timeout = Duration.seconds(4)

    private let url: URL
    private let algorithm: Algorithm
    private let transport: any Transport
    private let clock: any SessionClock

    private var known: (keys: KeySet, fetchedAt: Duration)?
    private var last: (at: Duration, isFailure: Bool)?
    private var flight: Task<Void, Never>?

    init(url: URL, algorithm: Algorithm, transport: any Transport, clock: any SessionClock) {
        self.url = url
        self.algorithm = algorithm
        self.transport = transport
        self.clock = clock
    }

    /// A key set that contains the key with this ID. Fetches the keys if necessary.
    func keys(holding id: String) async throws(AccessRefusal) -> KeySet {
        if let keys = keys(upTo: Self.freshTime), keys.key(id) != nil { return keys }
        if let flight {
            await flight.value
        } else if isFetchDue {
            // The cache owns the task, in `flight`: a cancelled request does not cancel it.
            let task = Task { await fetch() }
            flight = task
            await task.value
        }
        guard let keys = keys(upTo: Self.usableTime) else { throw unavailable }
        guard keys.key(id) != nil else {
            // If the last fetch failed, the key may be a new one that has not been fetched yet.
            throw last?.isFailure == true ? unavailable : .invalidToken(.unknownKey)
        }
        return keys
    }

    private func keys(upTo age: Duration) -> KeySet? {
        guard let known, clock.uptime() - known.fetchedAt < age else { return nil }
        return known.keys
    }

    private var pause: Duration {
        keys(upTo: Self.usableTime) == nil ? Self.retryPause : Self.refetchPause
    }

    private var isFetchDue: Bool {
        guard let last else { return true }
        return clock.uptime() - last.at >= pause
    }

    private var unavailable: AccessRefusal {
        .keysUnavailable(retryAfterSeconds: Int(pause.components.seconds))
    }

    private func fetch() async {
        let keys = await fetched()
        let now = clock.uptime()
        if let keys { known = (keys, now) }
        last = (now, keys == nil)
        flight = nil
    }

    /// nil unless the response is a set with a usable key.
    private func fetched() async -> KeySet? {
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": "application/json"], timeout: Self.timeout,
            answerBytesMax: Self.answerBytesMax)
        guard let answer = try? await transport.send(request), answer.status == 200,
            answer.body.count <= Self.answerBytesMax,
            let json = try? JSON.parse(Array(answer.body), limits: .keySet),
            let all = try? KeySet(jwks: json)
        else { return nil }
        // The algorithm is pinned: keys of other algorithms are ignored.
        let usable = all.keys.filter { $0.kid != nil && $0.algorithm == algorithm }
        return usable.isEmpty ? nil : try? KeySet(usable)
    }
}
