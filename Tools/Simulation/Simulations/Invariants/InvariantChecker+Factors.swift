import AuthDomain
import AuthRecords
import AuthTestSupport
import Bytes
import JSON
import Time
import WebAuthn

extension InvariantChecker {
    /// Second factors and passkeys, as far as the answers tell.
    struct FactorFacts {
        /// Accounts with an acknowledged second factor, since which step.
        var enabled: [String: Int] = [:]
        /// The account of each passkey.
        var passkeys: [String: String] = [:]
        /// Passkeys with an acknowledged removal, since which step.
        var removed: [String: Int] = [:]
        /// The passkey that has begun a session.
        var origins: [String: String] = [:]
        /// Accounts without a way to sign in.
        var guests: Set<String> = []
        /// The session that each ticket of a merge has opened.
        var tickets: [String: String] = [:]
        /// The accounts in which others have ended, acknowledged.
        var merges: [String: String] = [:]
    }

    private static let firstFactors: Set<String> = [
        "POST /auth/login", "POST /auth/signin", "POST /auth/magic-link/redeem",
    ]

    func prepareFactors(_ operation: String, _ user: String?, number: Int) {
        guard let user else { return }
        switch operation {
        case "POST /auth/totp/confirm": allMayEnd(of: user, number)
        case "POST /auth/totp/remove":
            allMayEnd(of: user, number)
            factors.enabled[user] = nil
        case "POST /auth/methods": factors.guests.remove(user)
        case "POST /auth/merge":
            allMayEnd(of: user, number)
            mayBeDeleted(user)
            // Its password ends with it.
            if let person = owners[user] { notePasswordUnclear(person) }
            factors.enabled[user] = nil
        default:
            guard let passkey = Self.removed(operation) else { return }
            for (session, origin) in factors.origins where origin == passkey { mayEnd(session) }
        }
    }

    /// - Parameters:
    ///   - user: the account of the session that asks.
    ///   - issued: the session that begins, and its account.
    func noteFactors(
        _ exchange: Exchange, of user: String?, session: String?,
        issued: (session: String, user: String)?
    ) {
        if let issued, Self.firstFactors.contains(exchange.operation),
            factors.enabled[issued.user].map({ $0 < exchange.startedAt }) ?? false
        {
            context.violate(
                .secondFactorAsked, "\(exchange.operation) began a session with one factor")
        }
        useUp(usedUp(exchange, issued?.user), exchange)
        switch exchange.operation {
        case "POST /auth/guest":
            guard let issued else { return }
            factors.guests.insert(issued.user)
            onGuest(issued.user)
        case "POST /auth/totp/confirm":
            guard let user else { return }
            factors.enabled[user] = context.scheduler.steps
            endAll(
                of: user, but: issued?.session, "second factor enabled",
                startedAt: exchange.startedAt)
        case "POST /auth/totp/remove":
            guard let user else { return }
            endAll(
                of: user, but: issued?.session, "second factor removed",
                startedAt: exchange.startedAt)
        case "POST /auth/passkeys", "POST /auth/passkeys/signup":
            guard let passkey = Self.passkey(in: exchange.body), let user = issued?.user ?? user
            else { return }
            factors.passkeys[passkey] = user
            if let issued { factors.origins[issued.session] = passkey }
        case "POST /auth/passkeys/signin": notePasskey(exchange, issued)
        case "POST /auth/merge":
            guard let user, let issued else { return }
            // A repetition gets the same session, as with refresh tokens.
            let ticket = exchange.body["merge"]?.stringValue ?? ""
            let opened = factors.tickets[ticket, default: issued.session]
            if opened != issued.session {
                context.violate(.singleUse, "\(exchange.operation) twice with the same ticket")
            }
            factors.tickets[ticket] = issued.session
            endAll(of: user, "merged", startedAt: exchange.startedAt)
            noteDeletion(of: user)
            factors.merges[user] = issued.user
        default:
            guard let passkey = Self.removed(exchange.operation) else { return }
            factors.removed[passkey] = context.scheduler.steps
            for (begun, origin) in factors.origins
            where origin == passkey && begun != session && isAlive(begun) {
                end(begun, "passkey removed")
            }
        }
    }

    private func notePasskey(_ exchange: Exchange, _ issued: (session: String, user: String)?) {
        guard let issued, let passkey = Self.passkey(in: exchange.body) else { return }
        if let owner = factors.passkeys[passkey], owner != issued.user {
            context.violate(.ownAccount, "a passkey opened another account than before")
        }
        factors.passkeys[passkey] = issued.user
        factors.origins[issued.session] = passkey
        if let removedAt = factors.removed[passkey], removedAt < exchange.startedAt {
            context.violate(.revokedStaysRevoked, "a sign-in with a passkey that was removed")
        }
    }

    private static let relyingParty = RelyingPartyID(parsing: "example.org")

    /// As the functions name it.
    private static func passkey(in body: JSON) -> String? {
        guard let text = body["credential"]?["id"]?.stringValue,
            let id = Base64URL.decode(text).flatMap({ CredentialID($0) }), let relyingParty
        else { return nil }
        return LinkedIdentity.passkey(id, at: relyingParty).subject
    }

    /// The passkey that a request removes.
    private static func removed(_ operation: String) -> String? {
        let parts = operation.split(separator: "/")
        return operation.hasPrefix("DELETE /auth/passkeys/") ? parts.last.map(String.init) : nil
    }

    /// Names of what is used up by a request that has succeeded.
    func usedUp(_ exchange: Exchange, _ user: String?) -> [String] {
        var names = ["ceremony", "ticket"].compactMap { name in
            exchange.body[name]?.stringValue.map { "\(name) \($0)" }
        }
        if exchange.operation == "POST /auth/second-factor", let user,
            let code = exchange.body["code"]?.stringValue
        {
            // The same digits come again, some day.
            names.append("code \(code) \(user) \(context.scheduler.clock.now.seconds / 600)")
        }
        return names
    }
}
