import Time

/// The sessions, their tokens, and what is known about their ends.
struct SessionFacts {
    struct Session {
        let user: String
        let begunAt: Int
        /// The step at which the session's end was acknowledged.
        var endedAt: Int?
        var end = ""
        /// The refresh token that was issued last.
        var latest = ""
        /// Whether the session may have ended, because its end was requested.
        var mayHaveEnded = false
        /// Whether a thief has the tokens.
        var isStolen = false
        /// Whether the session is a client's grant.
        var isGrant = false
        /// The device that started the session.
        var device = -1
        var lastUsedAt = Instant(seconds: 0)
    }

    struct Spending {
        let at: Instant
        var successors: Set<String> = []
    }

    private(set) var all: [String: Session] = [:]
    var accesses: [String: AccessToken] = [:]
    /// The session of each refresh token.
    private(set) var refreshes: [String: String] = [:]
    private(set) var spent: [String: Spending] = [:]
    /// Requests under way that end sessions of an account, by request number.
    private var ending: [Int: String] = [:]
    private var latestEnding: [String: Int] = [:]
    /// Sign-outs of sessions that may already have ended. Such a sign-out has no other effect.
    var doubtful: Set<Int> = []
    /// The session that each process has signed out last.
    var signedOut: [Int: String] = [:]
    /// Ended sessions whose tokens were used again (`newlyEnded`).
    private var tried: Set<String> = []

    subscript(_ session: String) -> Session? { all[session] }

    func isAlive(_ session: String) -> Bool { all[session].map { $0.endedAt == nil } ?? false }

    mutating func mayEnd(_ session: String) { all[session]?.mayHaveEnded = true }

    mutating func markAsGrant(_ session: String) { all[session]?.isGrant = true }

    mutating func markStolen(_ session: String) { all[session]?.isStolen = true }

    mutating func begin(
        _ session: String, of user: String, on device: Int, startedAt: Int, at step: Int
    ) {
        all[session] = Session(
            user: user, begunAt: step, mayHaveEnded: mayEnd(user, since: startedAt),
            device: device)
    }

    /// Whether a request that ends the account's sessions was under way at or after a step.
    func mayEnd(_ user: String, since step: Int) -> Bool {
        ending.values.contains(user) || latestEnding[user] ?? -1 >= step
    }

    mutating func use(_ session: String, _ refresh: String?, at now: Instant) {
        all[session]?.lastUsedAt = now
        guard let refresh else { return }
        refreshes[refresh] = session
        all[session]?.latest = refresh
    }

    mutating func spend(_ token: String, for next: String, at now: Instant) {
        spent[token, default: Spending(at: now)].successors.insert(next)
    }

    mutating func end(_ session: String, _ why: String, at step: Int) {
        guard all[session]?.endedAt == nil else { return }
        all[session]?.endedAt = step
        all[session]?.end = why
    }

    /// - Parameters:
    ///   - kept: the session that continues.
    ///   - sparesGrants: whether clients' grants continue.
    mutating func endAll(
        of user: String, but kept: String? = nil, _ why: String, sparesGrants: Bool = false,
        startedAt: Int, at step: Int
    ) {
        for (session, fact) in all
        where fact.user == user && session != kept && fact.begunAt < startedAt {
            if sparesGrants, fact.isGrant { continue }
            end(session, why, at: step)
        }
    }

    mutating func allMayEnd(of user: String, _ number: Int, at step: Int) {
        ending[number] = user
        latestEnding[user] = step
        for (session, fact) in all where fact.user == user { mayEnd(session) }
    }

    /// A request that ends sessions was answered.
    mutating func endsAsked(_ number: Int, at step: Int) {
        if let user = ending.removeValue(forKey: number) { latestEnding[user] = step }
    }

    /// Sessions with an acknowledged end that this method has not returned before, with their
    /// latest refresh tokens.
    mutating func newlyEnded() -> [(session: String, token: String)] {
        let ended = all.filter {
            $0.value.endedAt != nil && !$0.value.latest.isEmpty && !tried.contains($0.key)
        }
        tried.formUnion(ended.keys)
        return ended.map { ($0.key, $0.value.latest) }.sorted { $0.0 < $1.0 }
    }
}
