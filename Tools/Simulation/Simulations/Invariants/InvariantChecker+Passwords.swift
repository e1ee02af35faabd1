import AuthDomain
import JSON

extension InvariantChecker {
    /// The latest acknowledged password of a person.
    struct PasswordFact {
        var current: String
        var former: [String] = []
        /// A change was asked for, and it is not known whether it was made.
        var isUnclear = false
    }

    func notePassword(_ exchange: Exchange, issued: String?) {
        let new: String?
        switch exchange.operation {
        case "POST /auth/verify-email": new = exchange.body["password"]?.stringValue
        case "POST /auth/change-password", "POST /auth/reset-password":
            new = exchange.body["newPassword"]?.stringValue
        case "POST /auth/magic-link/redeem" where policy.passwords?.registration == .immediate:
            // The first proof of an address removes a password that another person may have set.
            notePasswordUnclear(exchange.origin.person)
            return
        case "DELETE /auth/account":
            passwords[exchange.origin.person] = nil
            return
        default: return
        }
        guard let new, !exchange.origin.isThief else { return }
        let person = exchange.origin.person
        var fact = passwords[person] ?? PasswordFact(current: new)
        if fact.current != new { fact.former.append(fact.current) }
        fact.current = new
        fact.isUnclear = false
        fact.former.removeAll { $0 == new }
        passwords[person] = fact
    }

    /// A change of the password was requested, and its response does not show whether it was made.
    func notePasswordUnclear(_ person: Int) { passwords[person]?.isUnclear = true }
}
