import AuthDomain
import AuthTestSupport
import Bytes
import JSON
import Time

/// Checks invariants: it records the answers so far, and the facts that follow from them.
///
/// It sees requests and answers alone, like an outside observer.
final class InvariantChecker {
    struct SessionFact {
        let user: String
        let begunAt: Int
        /// The step at which its end was acknowledged.
        var endedAt: Int?
        var end = ""
        /// The refresh token that was given out last.
        var latest = ""
        /// It may have ended, because its end was asked for.
        var mayHaveEnded = false
        /// A thief has its tokens.
        var isStolen = false
        /// The device that started the session.
        var device = -1
        var lastUsedAt = Instant(seconds: 0)
    }

    struct Access {
        let session: String
        let user: String
        let expiresAt: Int64
        let key: String?
    }

    private struct Spending {
        let at: Instant
        var successors: Set<String> = []
    }

    let context: SimulationContext
    let policy: Policy
    var sessions: [String: SessionFact] = [:]
    var accesses: [String: Access] = [:]
    var refreshes: [String: String] = [:]
    private var spent: [String: Spending] = [:]
    /// The person that an account belongs to.
    private(set) var owners: [String: Int] = [:]
    /// The person who reads the mail of each address.
    var readers: [String: Int] = [:]
    var mails: MailFacts
    var uses: [String: Int] = [:]
    /// Requests under way that end sessions of an account.
    private var ending: [Int: String] = [:]
    /// The session that each process has signed out last.
    var signedOut: [Int: String] = [:]
    /// Accounts that may be deleted.
    private var deleted: Set<String> = []
    /// The steps at which deletions were acknowledged.
    private var deletedAt: [String: Int] = [:]
    var factors = FactorFacts()
    /// Called with each new guest.
    var onGuest: (String) -> Void = { _ in }
    /// Accounts that are disabled, since which step; `.max` if that is not known.
    var disabled: [String: Int] = [:]
    /// Signing keys that were retired, and when.
    var retiredKeys: [String: Instant] = [:]
    /// The key that signed the latest access token.
    private(set) var latestKey: String?
    /// The latest access token of each key.
    private var latestOfKey: [String: String] = [:]
    /// Sessions whose end was tried (`newlyEnded`).
    private var tried: Set<String> = []
    /// The account of each identity.
    private var identities: [String: String] = [:]
    /// Sign-outs of sessions that may have ended before: they end nothing else.
    var doubtful: Set<Int> = []
    private var latestEnding: [String: Int] = [:]
    var limits = LimitFacts()
    /// Acknowledged changes that the audit log must have, by account and event.
    var acknowledged: [String: [AuditEvent: Int]] = [:]
    var passwords: [Int: PasswordFact] = [:]

    init(_ context: SimulationContext, _ policy: Policy) {
        self.context = context
        self.policy = policy
        mails = MailFacts()
    }

    var now: Instant { context.scheduler.clock.now }
    private var grace: Span {
        guard case .everyUse(let grace) = policy.sessions.rotation else { return .zero }
        return grace
    }

    private var rotates: Bool { policy.sessions.rotation != .never }
    /// Whether an answer to a refresh that was lost can be asked for again. Otherwise it ends the
    /// session of an honest app, by design.
    var hasGrace: Bool { !rotates || grace > .zero }

    func session(ofRefresh token: String) -> String? { refreshes[token] }

    func place(ofAccess token: String) -> (session: String, user: String)? {
        accesses[token].map { ($0.session, $0.user) }
    }

    /// The session and user of a token that was not seen before.
    func place(ofNew token: String) -> (session: String, user: String)? {
        Self.access(token).map { ($0.session, $0.user) }
    }

    /// The session of an access token.
    func session(ofAccess token: String) -> String? { accesses[token]?.session }

    /// With sessions that have not ended, as far as is known.
    func tokensOfRetiredKeys() -> [String] {
        retiredKeys.keys.sorted().compactMap { latestOfKey.removeValue(forKey: $0) }
    }

    func isAlive(_ session: String) -> Bool { sessions[session].map { $0.endedAt == nil } ?? false }

    func mayEnd(_ session: String) { sessions[session]?.mayHaveEnded = true }

    func markStolen(_ session: String) { sessions[session]?.isStolen = true }

    // MARK: An answer

    /// Before the function runs: it may do what it is asked, and not answer.
    func prepare(_ operation: String, _ body: JSON, _ bearer: String?, number: Int) {
        let access = bearer.flatMap { accesses[$0] }
        let named = body["refreshToken"]?.stringValue.flatMap { refreshes[$0] }
        prepareFactors(operation, access?.user, number: number)
        switch operation {
        case "POST /auth/signout":
            guard let session = named ?? access?.session else { return }
            if sessions[session]?.mayHaveEnded == true { doubtful.insert(number) }
            sessions[session]?.mayHaveEnded = true
            let isWide = body["scope"]?.stringValue ?? "session" != "session"
            if isWide { allMayEnd(of: sessions[session]?.user, number) }
        case "POST /auth/change-password", "DELETE /auth/account":
            allMayEnd(of: access?.user, number)
            if operation == "DELETE /auth/account", let user = access?.user { deleted.insert(user) }
        case "POST /auth/reset-password":
            for user in mails.users(of: body).sorted() { allMayEnd(of: user, number) }
        default:
            guard operation.hasPrefix("DELETE /auth/sessions/"),
                let id = operation.split(separator: "/").last.map(String.init)
            else { return }
            sessions[id]?.mayHaveEnded = true
        }
    }

    /// A refresh that arrives again may end the session, and its function be killed before it answers:
    /// see `noteRefusal`.
    func prepareRepetition(_ operation: String, _ body: JSON) {
        guard operation == "POST /auth/refresh", let token = body["refreshToken"]?.stringValue,
            spent[token] != nil, let session = refreshes[token]
        else { return }
        mayEnd(session)
    }

    func allMayEnd(of user: String?, _ number: Int) {
        guard let user else { return }
        ending[number] = user
        latestEnding[user] = context.scheduler.steps
        for (session, fact) in sessions where fact.user == user {
            sessions[session]?.mayHaveEnded = true
        }
    }

    /// The request that ends sessions has an answer.
    func endsAsked(_ number: Int) {
        if let user = ending.removeValue(forKey: number) {
            latestEnding[user] = context.scheduler.steps
        }
    }

    func note(_ exchange: Exchange) {
        endsAsked(exchange.number)
        limits.count(exchange, policy, at: now, context)
        noteRefusal(exchange)
        guard exchange.isSuccess else { return }
        checkPresented(exchange)
        checkSingleUse(exchange)
        let issued = noteTokens(exchange)
        noteEnds(exchange, issued: issued)
        let asking = exchange.bearer.flatMap { accesses[$0] }
        noteFactors(
            exchange, of: asking?.user, session: asking?.session,
            issued: issued.flatMap { name in sessions[name].map { (name, $0.user) } })
        notePassword(exchange, issued: issued)
    }

    /// A refresh token that is refused for good has ended its session.
    private func noteRefusal(_ exchange: Exchange) {
        guard exchange.operation == "POST /auth/refresh", exchange.status == 401,
            exchange.answer?["error"]?["action"] == "reauthenticate",
            let token = exchange.body["refreshToken"]?.stringValue,
            let session = refreshes[token]
        else { return }
        // A repetition after the token's successor was spent too ends the session: nothing
        // tells it from a stolen token.
        if hasGrace, !exchange.origin.isRepetition, isAlive(session), let fact = sessions[session],
            !fact.isStolen, !fact.mayHaveEnded
        {
            let age = spent[token].map { "spent \((now - $0.at).milliseconds) ms ago" }
            context.violate(
                .honestStaysSignedIn, "a refresh token was refused, \(age ?? "the latest one")")
        }
        end(session, "refused")
        // Reuse ends all of them, in `shell`.
        if policy.sessions.reuseScope == .user, let user = sessions[session]?.user {
            for (other, fact) in sessions where fact.user == user { mayEnd(other) }
        }
    }

    /// The presented session must not have ended before the function began.
    private func checkPresented(_ exchange: Exchange) {
        // They can be repeated, after the session has ended by them.
        guard !["POST /auth/signout", "POST /auth/merge"].contains(exchange.operation) else {
            return
        }
        if let bearer = exchange.bearer, let access = accesses[bearer] {
            if let end = endBefore(exchange, access.session) {
                context.violate(
                    .revokedStaysRevoked,
                    "\(exchange.operation) with an access token of a session that had ended (\(end))"
                )
            }
            if isRetired(access.key) {
                context.violate(
                    .revokedStaysRevoked, "\(exchange.operation) with a token of a retired key")
            }
            if access.expiresAt + 60 < now.seconds {
                context.violate(
                    .expiredIsRefused, "\(exchange.operation) with an expired access token")
            }
        }
        guard exchange.operation == "POST /auth/refresh",
            let token = exchange.body["refreshToken"]?.stringValue, let session = refreshes[token]
        else { return }
        if let end = endBefore(exchange, session) {
            context.violate(.revokedStaysRevoked, "a refresh of a session that had ended (\(end))")
        }
        guard rotates, let next = exchange.answer?["refreshToken"]?.stringValue else { return }
        if next == token {
            context.violate(.oneSuccessor, "a refresh answered the token that it spent")
        }
        if let spending = spent[token], spending.at + grace + .seconds(1) < now {
            context.violate(
                .spentIsRefused,
                "a token that was spent \((now - spending.at).seconds) s ago was accepted")
        }
        spent[token, default: Spending(at: now)].successors.insert(next)
        if spent[token]?.successors.count ?? 0 > 1 {
            context.violate(.oneSuccessor, "one refresh token has two successors")
        }
    }

    private func endBefore(_ exchange: Exchange, _ session: String) -> String? {
        guard let fact = sessions[session] else { return nil }
        // Also sessions that requests at the same time have begun.
        if wasDeleted(fact.user, before: exchange) { return "account deleted" }
        if wasDisabled(fact.user, before: exchange) { return "account disabled" }
        guard let endedAt = fact.endedAt, endedAt < exchange.startedAt else { return nil }
        return fact.end
    }

    func mayBeGone(_ user: String) -> Bool { deleted.contains(user) }

    func mayBeDeleted(_ user: String) { deleted.insert(user) }

    func noteDeletion(of user: String) {
        deletedAt[user] = deletedAt[user] ?? context.scheduler.steps
    }

    private func wasDeleted(_ user: String, before exchange: Exchange) -> Bool {
        deletedAt[user].map { $0 < exchange.startedAt } ?? false
    }

    /// Sessions with an acknowledged end that has not been tried since the last call, with their
    /// latest refresh tokens.
    func newlyEnded() -> [(session: String, token: String)] {
        let ended = sessions.filter {
            $0.value.endedAt != nil && !$0.value.latest.isEmpty && !tried.contains($0.key)
        }
        tried.formUnion(ended.keys)
        return ended.map { ($0.key, $0.value.latest) }.sorted { $0.0 < $1.0 }
    }

    // MARK: Tokens

    /// - Returns: the session of the tokens in the answer.
    private func noteTokens(_ exchange: Exchange) -> String? {
        guard let token = exchange.answer?["accessToken"]?.stringValue,
            let access = Self.access(token)
        else { return nil }
        accesses[token] = access
        latestKey = access.key
        if let key = access.key { latestOfKey[key] = token }
        let session = access.session
        if sessions[session] == nil {
            sessions[session] = SessionFact(
                user: access.user, begunAt: context.scheduler.steps,
                mayHaveEnded: ending.values.contains(access.user)
                    || latestEnding[access.user] ?? -1 >= exchange.startedAt,
                device: exchange.origin.device)
            if wasDeleted(access.user, before: exchange)
                || wasDisabled(access.user, before: exchange)
            {
                context.violate(
                    .revokedStaysRevoked,
                    "\(exchange.operation) began a session of a deleted or disabled account")
            }
            checkOwner(exchange, access.user)
            checkIdentity(exchange, access.user)
        }
        sessions[session]?.lastUsedAt = now
        if let refresh = exchange.answer?["refreshToken"]?.stringValue {
            refreshes[refresh] = session
            sessions[session]?.latest = refresh
        }
        return session
    }

    /// `news_app` has both in one claim.
    private static func place(in claims: JSON) -> (user: String, session: String)? {
        guard let session = claims["sid"]?.stringValue else { return nil }
        if let user = claims["sub"]?.stringValue { return (user, session) }
        let parts = session.split(separator: ".").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    private static func access(_ token: String) -> Access? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(bytes, limits: .event),
            let (user, session) = place(in: claims),
            let end = claims["exp"]?.int64Value
        else { return nil }
        let header = Base64URL.decode(parts[0]).flatMap { try? JSON.parse($0, limits: .event) }
        return Access(
            session: session, user: user, expiresAt: end, key: header?["kid"]?.stringValue)
    }

    /// A new session is of an account of the person who asked for it.
    private func checkOwner(_ exchange: Exchange, _ user: String) {
        guard !exchange.origin.isThief else { return }
        let person = exchange.origin.person
        let answered = exchange.answer?["user"]
        if answered?["emailVerified"]?.boolValue == true,
            let email = answered?["email"]?.stringValue, let reader = readers[email]
        {
            owners[user] = reader
        }
        let owner = owners[user] ?? person
        owners[user] = owner
        if owner != person {
            context.violate(
                .ownAccount,
                "\(exchange.operation) gave person \(person) an account of person \(owner)")
        }
    }

    /// An identity stays with its account.
    private func checkIdentity(_ exchange: Exchange, _ user: String) {
        let subject: String
        switch exchange.operation {
        case "POST /auth/signin":
            let parts = exchange.body["idToken"]?.stringValue?.split(separator: "|") ?? []
            guard parts.count > 1 else { return }
            subject = String(parts[1])
        case "POST /auth/verify-email", "POST /auth/login", "POST /auth/magic-link/redeem":
            guard let email = exchange.answer?["user"]?["email"]?.stringValue else { return }
            subject = email
        default: return
        }
        if let other = identities[subject], other != user, !deleted.contains(other) {
            context.violate(.ownAccount, "an identity has another account than before")
        }
        identities[subject] = user
    }
}
