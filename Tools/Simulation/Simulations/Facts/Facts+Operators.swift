import AuthOperations

/// Changes by administrators.
extension Facts {
    func prepareAdministration(_ change: AdministerUser.Change, of user: String, number: Int) {
        switch change {
        case .disable:
            allMayEnd(of: user, number)
            accounts.disabled[user] = accounts.disabled[user] ?? .max
        case .signOut: allMayEnd(of: user, number)
        case .enable: if accounts.disabled[user] != nil { accounts.disabled[user] = .max }
        case .setRole, .setEmail, .setName, .removeSecondFactor, .removeMethod, .delete: break
        }
    }

    /// - Parameter isDone: false if the outcome of the change is unknown.
    func noteAdministration(
        _ change: AdministerUser.Change, isDone: Bool, of user: String, number: Int,
        startedAt: Int
    ) {
        sessions.endsAsked(number, at: step)
        guard isDone else {
            // Another change may have been acknowledged at the same time, and undone by this one.
            if change == .enable, accounts.disabled[user] != nil {
                accounts.disabled[user] = .max
            }
            return
        }
        func endAll(_ why: String) {
            sessions.endAll(of: user, why, startedAt: startedAt, at: step)
        }
        switch change {
        case .disable:
            accounts.disabled[user] = step
            endAll("disabled")
        case .signOut: endAll("signed out by an administrator")
        case .enable: accounts.disabled[user] = nil
        case .setRole, .setEmail, .setName, .removeSecondFactor, .removeMethod, .delete: break
        }
    }
}
