import AuthOperations
import AuthTestSupport
import Time

extension InvariantChecker {
    /// The accounts of a person, in a fixed order.
    func accounts(of person: Int) -> [String] {
        owners.filter { $0.value == person }.keys.sorted()
    }

    func prepareAdministration(_ change: AdministerUser.Change, of user: String, number: Int) {
        switch change {
        case .disable:
            allMayEnd(of: user, number)
            disabled[user] = disabled[user] ?? .max
        case .signOut: allMayEnd(of: user, number)
        case .enable: if disabled[user] != nil { disabled[user] = .max }
        case .setRole, .setEmail, .setName, .removeSecondFactor, .removeMethod, .delete: break
        }
    }

    /// - Parameter isDone: false if it may have been made, or not.
    func noteAdministration(
        _ change: AdministerUser.Change, isDone: Bool, of user: String, number: Int,
        startedAt: Int
    ) {
        endsAsked(number)
        guard isDone else {
            // Another change may have been acknowledged meanwhile, and undone by this one.
            if change == .enable, disabled[user] != nil { disabled[user] = .max }
            return
        }
        switch change {
        case .disable:
            disabled[user] = context.scheduler.steps
            endAll(of: user, "disabled", startedAt: startedAt)
        case .signOut: endAll(of: user, "signed out by an administrator", startedAt: startedAt)
        case .enable: disabled[user] = nil
        case .setRole, .setEmail, .setName, .removeSecondFactor, .removeMethod, .delete: break
        }
    }

    /// Whether the account was disabled before a request began, and nobody has asked to enable it.
    func wasDisabled(_ user: String, before exchange: Exchange) -> Bool {
        disabled[user].map { $0 < exchange.startedAt } ?? false
    }

    /// Functions know of a retired key after a minute.
    func isRetired(_ kid: String?) -> Bool {
        guard let kid, let at = retiredKeys[kid] else { return false }
        return at + Self.keyMemory < context.scheduler.clock.now
    }

    /// Some functions may not know yet that a key is retired: others refuse what they sign.
    var keysMayDiffer: Bool {
        retiredKeys.values.contains { context.scheduler.clock.now <= $0 + Self.keyMemory }
    }

    private static let keyMemory = Span.seconds(62)
}
