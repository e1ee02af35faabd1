import AuthDomain
import JSON

/// The latest acknowledged password of each account.
struct PasswordFacts {
    struct Password {
        /// The address with which the account signs in.
        var login: String
        var current: String
        var former: [String] = []
        /// Whether the outcome of a requested change is unknown.
        var isUnclear = false
        /// The step of the latest change.
        var changedAt: Int
    }

    private(set) var all: [String: Password] = [:]

    /// The known passwords, in a fixed order.
    var clear: [(user: String, password: Password)] {
        all.filter { !$0.value.isUnclear }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    func latest(of login: String) -> Password? {
        all.values.filter { $0.login == login }.max { $0.changedAt < $1.changedAt }
    }

    /// - Parameter isUnclear: whether a change of the login was under way at the same time.
    mutating func set(
        _ new: String, of user: String, login: String, isUnclear: Bool, at step: Int
    ) {
        var fact = all[user] ?? Password(login: login, current: new, changedAt: step)
        if fact.current != new { fact.former.append(fact.current) }
        fact.login = login
        fact.current = new
        fact.isUnclear = isUnclear
        fact.changedAt = step
        fact.former.removeAll { $0 == new }
        all[user] = fact
    }

    /// A change of the password was requested, and its outcome is unknown.
    mutating func becomesUnclear(_ user: String) { all[user]?.isUnclear = true }

    mutating func forget(_ user: String) { all[user] = nil }
}

extension Facts {
    /// - Parameter presented: the access token of the request.
    func notePassword(_ exchange: Exchange, of presented: AccessToken?, issued: AccessToken?) {
        let new: String?
        var user = presented?.user ?? issued?.user
        var login = exchange.answer?["user"]?["email"]?.stringValue
        switch exchange.operation {
        case "POST /auth/verify-email":
            new = exchange.body["password"]?.stringValue
            user = issued?.user
        case "POST /auth/change-password": new = exchange.body["newPassword"]?.stringValue
        case "POST /auth/reset-password":
            new = exchange.body["newPassword"]?.stringValue
            let letter = mails.letter(of: exchange.body)
            user = letter?.user
            login = letter?.to
            // Several mails contain this code.
            if letter == nil {
                mails.users(of: exchange.body).forEach { passwords.becomesUnclear($0) }
            }
        case "POST /auth/magic-link/redeem" where policy.passwords?.registration == .immediate:
            // The first proof of an address removes a password that another person may have set.
            return passwordsBecomeUnclear(of: exchange.origin.person)
        case "DELETE /auth/account":
            if let user { passwords.forget(user) }
            return
        default: return
        }
        guard let new, let user, !exchange.origin.isThief else { return }
        let isUnclear = changes.isUnsettled(user, since: exchange.startedAt)
        passwords.set(
            new, of: user, login: login ?? addresses[exchange.origin.person],
            isUnclear: isUnclear, at: step)
    }

    func passwordsBecomeUnclear(of person: Int) {
        for user in accounts.accounts(of: person) { passwords.becomesUnclear(user) }
    }
}
