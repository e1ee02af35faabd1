import AuthDomain
import JSON

/// Who owns each account, and which accounts are known to be closed.
struct AccountFacts {
    /// The person that an account belongs to.
    var owners: [String: Int] = [:]
    /// The person who can read the mail of each address.
    var readers: [String: Int] = [:]
    /// Accounts whose address was not yet proven when one of their sessions began.
    var unproven: Set<String> = []
    /// Accounts whose deletion was requested, so that they may be deleted.
    private(set) var deleted: Set<String> = []
    /// The steps at which deletions were acknowledged.
    private var deletedAt: [String: Int] = [:]
    /// The step since which each account is disabled; `.max` if the step is unknown.
    var disabled: [String: Int] = [:]
    /// Acknowledged changes that the audit log must contain, by account and event.
    private(set) var acknowledged: [String: [AuditEvent: Int]] = [:]

    /// The accounts of a person, in a fixed order.
    func accounts(of person: Int) -> [String] {
        owners.filter { $0.value == person }.keys.sorted()
    }

    func mayBeGone(_ user: String) -> Bool { deleted.contains(user) }

    mutating func mayBeDeleted(_ user: String) { deleted.insert(user) }

    mutating func delete(_ user: String, at step: Int) { deletedAt[user] = deletedAt[user] ?? step }

    mutating func acknowledge(_ event: AuditEvent, _ user: String) {
        acknowledged[user, default: [:]][event, default: 0] += 1
    }

    /// Why the account was closed before a request began, if nobody has asked to reopen it.
    func closing(of user: String, before exchange: Exchange) -> String? {
        if deletedAt[user].map({ $0 < exchange.startedAt }) ?? false { return "account deleted" }
        if disabled[user].map({ $0 < exchange.startedAt }) ?? false { return "account disabled" }
        return nil
    }

    /// The owner of an account for which a session was issued: the reader of its proven address, or
    /// the first person who got a session.
    func owner(of user: String, after exchange: Exchange) -> Int {
        let answered = exchange.answer?["user"]
        if answered?["emailVerified"]?.boolValue == true,
            let email = answered?["email"]?.stringValue, let reader = readers[email]
        {
            return reader
        }
        return owners[user] ?? exchange.origin.person
    }
}
