package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Makes an account without any way to sign in, and its one session. It becomes an account like
/// others when it is given a first way (`MethodChange`), with the same ID, session and data.
///
/// A guest whose response was lost is never used, and is deleted like any that is not.
package struct CreateGuest: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ device: DeviceClaim, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        guard let policy = auth.policy.guests else { throw .notConfigured(.guests) }
        let signer = try auth.accessTokens.signer(for: .createGuest, caller)

        // 1. Open: count.
        try auth.open(
            .createGuest, counting: [(.address, caller.address)], provenBy: caller.key
        ).admit()

        // 2. Close: the account, its session, and when to look whether it is still used.
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, email: nil, isEmailVerified: false, login: nil, displayName: nil,
            identities: [], isGuest: true, at: now)
        let user = account.user
        var hook = SignInHook(auth, .createGuest, caller)
        let approval = try hook.approval(
            of: user, by: LinkedIdentity.guestProvider, isNew: true, provenBy: [.guest])
        var audit = auth.audit(.account(user.id), .read(nil))
        let factor = try auth.firstFactor(
            of: user, by: LinkedIdentity.guestProvider, .guest, on: device, approval,
            SignInHistory(), signer, &audit, caller, at: now)
        audit.record(
            .accountCreated, session: factor.session, caller,
            detail: LinkedIdentity.guestProvider, at: now)
        let look = GuestRecord(user: user.id, due: now + policy.lifetime + GuestPolicy.sweepDelay)
        let closing = account.writes + factor.writes + [.put(look.item, when: [.absent])]
        guard try auth.commit(closing, &audit) else { throw .unavailable(.contention) }
        factor.deliver()
        return try factor.result(for: user, at: now).tokens
    }
}

extension AuthServices {
    package var createGuest: CreateGuest { CreateGuest(auth: self) }
}

extension AuthOperation {
    package static let createGuest = AuthOperation(
        "createGuest", servedBy: "guest", counting: [.address], audited: .others)
}
