import JSON

/// The browser sessions that each program knows, and the programs that were notified of a session's
/// end.
struct LogoutFacts {
    struct Pair: Hashable {
        let session: String
        let client: String
    }

    /// Pairs whose program may have received an ID token of the session.
    private(set) var possible: Set<Pair> = []
    /// Pairs whose program has certainly received an ID token of the session.
    private(set) var known: Set<Pair> = []
    private(set) var told: Set<Pair> = []
    /// The step at which a program was first notified that the session ended.
    private(set) var ends: [String: Int] = [:]
    /// The IDs of the notices that have arrived.
    private(set) var ids: Set<String> = []

    mutating func mayLearn(of session: String, _ client: String) {
        possible.insert(Pair(session: session, client: client))
    }

    mutating func learn(of session: String, _ client: String) {
        known.insert(Pair(session: session, client: client))
    }

    mutating func take(_ notice: ShownNotice, at step: Int) {
        refuse(notice, at: step)
        if let id = notice.claims["jti"]?.stringValue { ids.insert(id) }
    }

    /// The program has refused the notice, and will not get it again.
    mutating func refuse(_ notice: ShownNotice, at step: Int) {
        ends[notice.session] = ends[notice.session] ?? step
        told.insert(Pair(session: notice.session, client: notice.client))
    }

    func mayKnow(_ notice: ShownNotice) -> Bool {
        possible.contains(Pair(session: notice.session, client: notice.client))
    }
}

/// Sign-outs by programs (OpenID Connect RP-Initiated Logout 1.0).
extension Facts {
    func prepareLogout(_ seen: ProviderSeen) {
        if let code = seen.code, let client = seen.client {
            provider.logout.mayLearn(of: code.fact.session, client.id)
        }
        switch seen.exchange.operation {
        case "GET /oauth/logout":
            guard let session = seen.hint?["sid"]?.stringValue else { return }
            let device = sessions[session]?.device
            if session == seen.exchange.browser?.session || device == seen.exchange.origin.device {
                sessions.mayEnd(session)
            }
        case "POST /auth/ui/logout":
            if let held = seen.exchange.browser { sessions.mayEnd(held.session) }
        default: break
        }
    }

    func noteLogout(_ seen: ProviderSeen) {
        // The tokens of a new grant have arrived: the program is notified of the session's end from
        // now on.
        if seen.code != nil || seen.device != nil, let client = seen.client,
            client.noticeAddress != nil, let session = seen.identity?["sid"]?.stringValue
        {
            provider.logout.learn(of: session, client.id)
        }
        guard let session = signedOut(by: seen) else { return }
        sessions.end(session, "signed out by a program", at: step)
    }

    /// The session that the response shows to have ended.
    func signedOut(by seen: ProviderSeen) -> String? {
        let exchange = seen.exchange
        guard exchange.isOfLogout, let held = exchange.browser, !held.isSpent,
            Redirect(exchange.location)?.isOfServer == false
        else { return nil }
        guard exchange.operation == "GET /oauth/logout" else { return held.session }
        return seen.hint?["sid"]?.stringValue == held.session ? held.session : nil
    }

    /// Programs that have not been notified of a session's acknowledged end.
    var untold: [LogoutFacts.Pair] {
        provider.logout.known.subtracting(provider.logout.told)
            .filter { sessions[$0.session]?.endedAt != nil && !mayHaveEndedByAge($0.session) }
            .sorted { ($0.session, $0.client) < ($1.session, $1.client) }
    }
}
