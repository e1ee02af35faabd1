package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Creates an account without any sign-in method, and its one session. It becomes an ordinary
/// account, with the same ID, session and data, when its first sign-in method is added
/// (`MethodChange`).
///
/// If the response is lost, the guest account is never used, and is deleted as every unused one is.
package struct CreateGuest: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ device: DeviceClaim, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        guard let policy = auth.policy.guests else { throw .notConfigured(.guests) }
        var ending = try SignInEnding(auth, .createGuest, caller)

        // 1. Open: count.
        try auth.open(
            .createGuest, counting: [(.address, caller.address)], provenBy: caller.key
        ).admit()

        // 2. Close: write the account, its session, and the time to check whether the account is
        //    still used.
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, email: nil, isEmailVerified: false, login: nil, displayName: nil,
            identities: [], isGuest: true, at: now)
        let user = account.user
        let look = GuestRecord(user: user.id, due: now + policy.lifetime + GuestPolicy.sweepDelay)
        let proven = ProvenSignIn(
            user: user, provider: LinkedIdentity.guestProvider, method: .guest,
            detail: LinkedIdentity.guestProvider, audit: auth.audit(.account(user.id), .read(nil)),
            writes: account.writes + [.put(look.item, when: [.absent])], isNew: true,
            device: device)
        guard let result = try ending.close(proven, at: now) else {
            throw .unavailable(.contention)
        }
        return try result.tokens
    }
}

extension AuthServices {
    package var createGuest: CreateGuest { CreateGuest(auth: self) }
}

extension AuthOperation {
    package static let createGuest = AuthOperation(
        "createGuest", servedBy: "guest", counting: [.address], audited: .others)
}
