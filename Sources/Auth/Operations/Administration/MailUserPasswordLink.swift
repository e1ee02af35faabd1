internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Mails the user a link for a new password, as `forgotPassword` does, with an event of who asked
    /// for it.
    package func mailPasswordLink(
        to id: String, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) {
        guard let id = try userID(shownAs: id),
            let user = try store.get([StoreLayout.profile(id)]).user(id), user.deletedAt == nil
        else { throw .administration(.userNotFound) }
        if case .user(let maker) = administrator, let role = user.adminRole,
            maker.adminRole.map({ $0 < role }) ?? true
        {
            throw .accessToken(.administratorsOnly)
        }
        guard let email = user.loginAddress else { throw .method(.notFound) }
        // The user's mail does not say where the administrator is; the limit counts it.
        try forgotPassword(email, Caller(address: caller.address))
        var audit = audit(.account(id))
        audit.record(
            .passwordResetRequested, caller, by: administrator.name, because: reason,
            at: clock.now())
        guard try commit([], &audit) else { throw .unavailable(.contention) }
    }
}
