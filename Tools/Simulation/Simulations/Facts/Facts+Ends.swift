import AuthDomain
import JSON
import Time

/// Requested ends of sessions, and acknowledged ones.
extension Facts {
    func prepareEnds(
        _ operation: String, _ body: JSON, _ presented: AccessToken?, number: Int
    ) {
        let named = body["refreshToken"]?.stringValue.flatMap { sessions.refreshes[$0] }
        switch operation {
        case "POST /auth/signout":
            guard let session = named ?? presented?.session else { return }
            if sessions[session]?.mayHaveEnded == true { sessions.doubtful.insert(number) }
            sessions.mayEnd(session)
            let isWide = body["scope"]?.stringValue ?? "session" != "session"
            if isWide { allMayEnd(of: sessions[session]?.user, number) }
        case "POST /auth/change-password": allMayEnd(of: presented?.user, number)
        case "DELETE /auth/account":
            allMayEnd(of: presented?.user, number)
            if let user = presented?.user { accounts.mayBeDeleted(user) }
        case "POST /auth/reset-password":
            for user in mails.users(of: body).sorted() { allMayEnd(of: user, number) }
        case "POST /auth/magic-link/redeem", "POST /auth/verify-email":
            // The first proof of an address ends all older sessions, because another person may
            // have begun them.
            let readers = mails.letters(of: body).compactMap { accounts.readers[$0.to] }
            for user in Set(readers).sorted().flatMap(accounts.accounts)
            where accounts.unproven.contains(user) {
                allMayEnd(of: user, number)
                passwords.becomesUnclear(user)
            }
        default:
            guard operation.hasPrefix("DELETE /auth/sessions/"),
                let id = operation.split(separator: "/").last.map(String.init)
            else { return }
            sessions.mayEnd(id)
        }
    }

    func noteEnds(_ seen: Seen) {
        let exchange = seen.exchange
        let user = seen.presented?.user
        func endAll(of user: String, but kept: String? = nil, _ why: String) {
            sessions.endAll(of: user, but: kept, why, startedAt: exchange.startedAt, at: step)
        }
        switch exchange.operation {
        case "POST /auth/signout": noteSignOut(seen) { endAll(of: $0, but: $1, $2) }
        case "POST /auth/change-password":
            guard let user else { return }
            accounts.acknowledge(.passwordChanged, user)
            endAll(of: user, but: seen.issued?.session, "password changed")
        case "POST /auth/reset-password":
            guard let user = mails.letter(of: exchange.body)?.user else { return }
            accounts.acknowledge(.passwordReset, user)
            endAll(of: user, "password reset")
        case "DELETE /auth/account":
            guard let user else { return }
            endAll(of: user, "account deleted")
            accounts.delete(user, at: step)
        default:
            guard let id = exchange.identifier(after: "DELETE /auth/sessions/") else { return }
            sessions.end(id, "ended from another device", at: step)
        }
    }

    private func noteSignOut(
        _ seen: Seen, _ endAll: (_ user: String, _ kept: String?, _ why: String) -> Void
    ) {
        let (exchange, presented) = (seen.exchange, seen.presented)
        sessions.signedOut[exchange.origin.process] = presented?.session
        let named = exchange.body["refreshToken"]?.stringValue.flatMap {
            sessions.refreshes[$0]
        }
        guard let session = named ?? presented?.session, let user = sessions[session]?.user,
            sessions.isAlive(session)
        else { return }
        let isProven = presented.map {
            $0.session == session && $0.expiresAt > now.seconds
                && !sessions.doubtful.contains(exchange.number)
        }
        switch exchange.body["scope"]?.stringValue ?? "session" {
        case "all" where isProven == true:
            accounts.acknowledge(.signedOutEverywhere, user)
            endAll(user, nil, "signed out everywhere")
        case "others":
            sessions.endAll(
                of: user, but: session, "signed out elsewhere", sparesGrants: true,
                startedAt: exchange.startedAt, at: step)
        case "all": break
        default: sessions.end(session, "signed out", at: step)
        }
    }
}
