import AuthTestSupport

/// The facts shown by the requests, responses and mails so far. Observers judge only by these.
final class Facts {
    let policy: Policy
    private let scheduler: Scheduler
    /// The first address of each person.
    let addresses: [String]
    var sessions = SessionFacts()
    var accounts = AccountFacts()
    var factors = FactorFacts()
    var changes = ChangeFacts()
    var passwords = PasswordFacts()
    var keys = KeyFacts()
    var mails = MailFacts()
    var provider = ProviderFacts()
    var hasProvider = false
    /// Called with the ID of each new guest.
    var onGuest: (String) -> Void = { _ in }

    init(_ scheduler: Scheduler, _ policy: Policy, addresses: [String]) {
        self.scheduler = scheduler
        self.policy = policy
        self.addresses = addresses
    }

    var now: Instant { scheduler.clock.now }
    var step: Int { scheduler.steps }

    var grace: Span {
        guard case .everyUse(let grace) = policy.sessions.rotation else { return .zero }
        return grace
    }

    var rotates: Bool { policy.sessions.rotation != .never }
    /// Whether a refresh can be repeated after its answer was lost. If not, a lost answer ends an
    /// honest app's session by design.
    var hasGrace: Bool { !rotates || grace > .zero }

    /// The session of an access token.
    func session(ofAccess token: String) -> String? { sessions.accesses[token]?.session }

    func mayBeGone(_ user: String) -> Bool { accounts.mayBeGone(user) }

    /// Whether the account of a guest may have expired, because the session was not used for too
    /// long.
    func mayHaveEndedByAge(_ session: String) -> Bool {
        guard let fact = sessions[session], factors.everGuests.contains(fact.user),
            let lifetime = policy.guests?.lifetime
        else { return false }
        return fact.lastUsedAt + lifetime <= now
    }

    /// Whether the session of an honest app must continue.
    func mustGoOn(_ session: String) -> Bool {
        guard let fact = sessions[session] else { return false }
        return hasGrace && fact.endedAt == nil && !fact.isStolen && !fact.mayHaveEnded
            && !mayHaveEndedByAge(session)
    }

    /// Why a session had ended when a request began.
    func end(of session: String, before exchange: Exchange) -> String? {
        guard let fact = sessions[session] else { return nil }
        // A session that a concurrent request has begun ends with the account, too.
        if let closing = accounts.closing(of: fact.user, before: exchange) { return closing }
        guard let endedAt = fact.endedAt, endedAt < exchange.startedAt else { return nil }
        return fact.end
    }

    // MARK: A request, before its function runs

    func prepare(_ operation: String, _ body: JSON, _ bearer: String?, number: Int) {
        let presented = bearer.flatMap { sessions.accesses[$0] }
        prepareEnds(operation, body, presented, number: number)
        prepareFactors(operation, body, presented?.user, number: number)
        prepareChanges(operation, body, presented?.user, number: number)
    }

    /// A repeated refresh, or a refresh with a used token, may end the session, even if the
    /// function is killed before it answers.
    func prepareRepetition(_ operation: String, _ body: JSON) {
        guard operation == "POST /auth/refresh", let token = body["refreshToken"]?.stringValue,
            sessions.spent[token] != nil, let session = sessions.refreshes[token]
        else { return }
        sessions.mayEnd(session)
    }

    func allMayEnd(of user: String?, _ number: Int) {
        if let user { sessions.allMayEnd(of: user, number, at: step) }
    }

    // MARK: A response

    func note(_ seen: Seen) {
        let exchange = seen.exchange
        sessions.endsAsked(exchange.number, at: step)
        factors.settleRemoval(exchange.number, at: step)
        defer { changes.settle(exchange.number, at: step) }
        if hasProvider { noteProvider(seen) }
        noteRefusal(exchange)
        guard exchange.isSuccess else { return }
        if rotates, let refresh = seen.refresh,
            let next = exchange.answer?["refreshToken"]?.stringValue
        {
            sessions.spend(refresh.token, for: next, at: now)
        }
        noteTokens(seen)
        noteEnds(seen)
        noteFactors(seen)
        noteChanges(seen)
        notePassword(exchange, of: seen.presented, issued: seen.issued)
    }

    /// A final refusal of a refresh token means that its session has ended.
    private func noteRefusal(_ exchange: Exchange) {
        guard exchange.refusesRefresh, let token = exchange.body["refreshToken"]?.stringValue,
            let session = sessions.refreshes[token]
        else { return }
        sessions.end(session, "refused", at: step)
        // In `shell`, reuse ends all sessions of the user.
        guard policy.sessions.reuseScope == .user, let user = sessions[session]?.user else {
            return
        }
        for (other, fact) in sessions.all where fact.user == user { sessions.mayEnd(other) }
    }

    private func noteTokens(_ seen: Seen) {
        guard let issued = seen.issued,
            let token = seen.exchange.answer?["accessToken"]?.stringValue
        else { return }
        sessions.accesses[token] = issued
        keys.note(token, of: issued.key)
        if seen.exchange.answer?["user"]?["emailVerified"]?.boolValue == false {
            accounts.unproven.insert(issued.user)
        }
        if seen.isNewSession {
            sessions.begin(
                issued.session, of: issued.user, on: seen.exchange.origin.device,
                startedAt: seen.exchange.startedAt, at: step)
            if !seen.exchange.origin.isThief {
                accounts.owners[issued.user] = accounts.owner(
                    of: issued.user, after: seen.exchange)
            }
        }
        sessions.use(
            issued.session, seen.exchange.answer?["refreshToken"]?.stringValue, at: now)
    }
}
