import Time

/// When administrators have ended all grants of a client, as far as responses show it.
struct GrantEnds {
    struct Moment {
        let step: Int
        let time: Instant
    }

    private struct End {
        let begunAt: Moment
        let settledAt: Moment
    }

    private var all: [String: [End]] = [:]
    /// How many changes of each client are under way or have an unknown outcome.
    private var open: [String: Int] = [:]
    /// The latest second that the list of ended sessions may contain for a client.
    private var listed: [String: Int64] = [:]

    mutating func begin(_ client: String) { open[client, default: 0] += 1 }

    mutating func settle(_ client: String, from begunAt: Moment, at settledAt: Moment) {
        open[client, default: 1] -= 1
        all[client, default: []].append(End(begunAt: begunAt, settledAt: settledAt))
    }

    mutating func mayList(_ client: String, at now: Instant) { listed[client] = now.seconds }

    func mayBeListed(_ client: String, issuedAt seconds: Int64) -> Bool {
        listed[client].map { seconds <= $0 } ?? false
    }

    /// Whether something issued before `step` had ended before `other`.
    func hasEnded(_ client: String, givenAt step: Int, before other: Int) -> Bool {
        all[client]?.contains { step < $0.begunAt.step && $0.settledAt.step < other } ?? false
    }

    func mayHaveEnded(_ client: String, since step: Int) -> Bool {
        open[client] ?? 0 > 0 || all[client]?.contains { $0.settledAt.step >= step } ?? false
    }

    // MARK: Tokens that programs have for themselves, by the second in their `iat`

    func hasEnded(_ client: String, issuedAt seconds: Int64, before other: Int) -> Bool {
        all[client]?.contains {
            seconds <= $0.begunAt.time.seconds && $0.settledAt.step < other
        } ?? false
    }

    func mayHaveEnded(_ client: String, issuedAt seconds: Int64) -> Bool {
        open[client] ?? 0 > 0
            || all[client]?.contains { seconds <= $0.settledAt.time.seconds } ?? false
    }
}

/// Ended secrets of clients.
struct SecretEnds {
    /// The steps at which secrets ended; `.max` for a secret that may have ended.
    private var ends: [String: Int] = [:]
    /// Clients that may have an unknown secret, because the response with the secret was lost or
    /// has not arrived.
    private var unclear: Set<String> = []

    func mayHaveEnded(_ secret: String?) -> Bool { secret.map { ends[$0] != nil } ?? false }

    func hasEnded(_ secret: String, before step: Int) -> Bool {
        ends[secret].map { $0 < step } ?? false
    }

    /// - Parameters:
    ///   - all: the secrets of the client.
    ///   - ended: the secrets that the change ends.
    /// - Returns: whether no other change of the client is under way.
    mutating func begin(_ client: String, _ all: [String], ending ended: [String]) -> Bool {
        let isClear = unclear.insert(client).inserted
        for secret in isClear ? ended : all where ends[secret] == nil { ends[secret] = .max }
        return isClear
    }

    /// - Parameters:
    ///   - ended: the secrets that have certainly ended.
    ///   - isKnown: whether the current secret is known now.
    mutating func settle(_ client: String, ended: [String], isKnown: Bool, at step: Int) {
        for secret in ended { ends[secret] = min(ends[secret] ?? .max, step) }
        if isKnown { unclear.remove(client) }
    }
}
