import AuthTestSupport
import WebAuthn

/// Second factors, passkeys, guests and merges, as far as responses show them.
struct FactorFacts {
    /// The step since which each account has an acknowledged second factor.
    var enabled: [String: Int] = [:]
    /// The account of each passkey.
    var passkeys: [String: String] = [:]
    /// When each passkey was added to an existing account.
    var addedAt: [String: Int] = [:]
    /// The step since which each passkey has been removed, for acknowledged removals.
    var removed: [String: Int] = [:]
    /// Requests under way that remove a passkey.
    private var removing: [Int: String] = [:]
    /// The step at which the latest removal of each passkey began or ended.
    private var latestRemoval: [String: Int] = [:]
    /// The passkey with which each session was begun.
    var origins: [String: String] = [:]
    /// Accounts that have no sign-in method.
    var guests: Set<String> = []
    /// Accounts that were created without a sign-in method.
    var everGuests: Set<String> = []
    /// The account into which each account was merged, for acknowledged merges.
    var merges: [String: String] = [:]

    mutating func askToRemove(_ passkey: String, _ number: Int, at step: Int) {
        removing[number] = passkey
        latestRemoval[passkey] = step
    }

    mutating func settleRemoval(_ number: Int, at step: Int) {
        if let passkey = removing.removeValue(forKey: number) { latestRemoval[passkey] = step }
    }

    /// Whether the removal of a passkey was under way at or after a step.
    func mayBeRemoved(_ passkey: String, since step: Int) -> Bool {
        removing.values.contains(passkey) || latestRemoval[passkey] ?? -1 >= step
    }

    private static let relyingParty = RelyingPartyID(parsing: "example.org")

    /// The passkey's ID, in the form that the functions use.
    static func passkey(in body: JSON) -> String? {
        guard let text = body["credential"]?["id"]?.stringValue,
            let id = Base64URL.decode(text).flatMap({ CredentialID($0) }), let relyingParty
        else { return nil }
        return LinkedIdentity.passkey(id, at: relyingParty).subject
    }
}

extension Facts {
    func prepareFactors(_ operation: String, _ body: JSON, _ user: String?, number: Int) {
        guard let user else { return }
        switch operation {
        case "POST /auth/totp/confirm": allMayEnd(of: user, number)
        case "POST /auth/totp/remove":
            allMayEnd(of: user, number)
            factors.enabled[user] = nil
        case "POST /auth/methods": factors.guests.remove(user)
        case "POST /auth/merge":
            allMayEnd(of: user, number)
            // Two clients hold this refresh token for a moment.
            if let other = body["into"]?["refreshToken"]?.stringValue,
                let session = sessions.refreshes[other]
            {
                sessions.mayEnd(session)
            }
            accounts.mayBeDeleted(user)
            // The account's password ends with the account.
            passwords.becomesUnclear(user)
            factors.enabled[user] = nil
        default:
            guard operation.hasPrefix("DELETE /auth/passkeys/"),
                let passkey = operation.split(separator: "/").last.map(String.init)
            else { return }
            factors.askToRemove(passkey, number, at: step)
            for (session, origin) in factors.origins where origin == passkey {
                sessions.mayEnd(session)
            }
        }
    }

    func noteFactors(_ seen: Seen) {
        let (exchange, issued) = (seen.exchange, seen.issued)
        let user = seen.presented?.user
        func endAll(_ why: String) {
            guard let user else { return }
            sessions.endAll(
                of: user, but: issued?.session, why, startedAt: exchange.startedAt, at: step)
        }
        switch exchange.operation {
        case "POST /auth/guest":
            guard let issued else { return }
            factors.guests.insert(issued.user)
            factors.everGuests.insert(issued.user)
            onGuest(issued.user)
        case "POST /auth/totp/confirm":
            guard let user else { return }
            if !changes.isUnsettled(user, since: exchange.startedAt) {
                factors.enabled[user] = step
            }
            endAll("second factor enabled")
        case "POST /auth/totp/remove": endAll("second factor removed")
        case "POST /auth/passkeys", "POST /auth/passkeys/signup", "POST /auth/passkeys/signin":
            guard let passkey = FactorFacts.passkey(in: exchange.body),
                let owner = issued?.user ?? user
            else { return }
            factors.passkeys[passkey] = owner
            if let issued { begin(issued.session, by: passkey, exchange) }
            if exchange.operation == "POST /auth/passkeys" {
                factors.addedAt[passkey] = exchange.startedAt
            }
        case "POST /auth/merge":
            guard let user, let issued else { return }
            sessions.endAll(
                of: user, "merged", startedAt: exchange.startedAt, at: step)
            accounts.delete(user, at: step)
            factors.merges[user] = issued.user
        default:
            guard let passkey = exchange.identifier(after: "DELETE /auth/passkeys/") else {
                return
            }
            remove(passkey, but: seen.presented?.session)
        }
    }

    private func begin(_ session: String, by passkey: String, _ exchange: Exchange) {
        factors.origins[session] = passkey
        if factors.mayBeRemoved(passkey, since: exchange.startedAt) { sessions.mayEnd(session) }
    }

    private func remove(_ passkey: String, but kept: String?) {
        factors.removed[passkey] = step
        for (begun, origin) in factors.origins
        where origin == passkey && begun != kept && sessions.isAlive(begun) {
            sessions.end(begun, "passkey removed", at: step)
        }
    }
}
