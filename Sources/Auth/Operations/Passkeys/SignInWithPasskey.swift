package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time
package import WebAuthn

/// Signs a user in with a passkey. A passkey that verified the user counts as two factors;
/// otherwise it is only the first factor.
///
/// The account is found by the credential ID, whose row belongs to one account, and never by the
/// user handle, which is not signed. An unknown passkey and an invalid signature cannot be
/// distinguished.
package struct SignInWithPasskey: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var ceremony: String
        package var response: AssertionResponse
        package var device = DeviceClaim()

        package init(ceremony: String, _ response: AssertionResponse) {
            self.ceremony = ceremony
            self.response = response
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> SignInResult {
        var ending = try SignInEnding(auth, .signInWithPasskey, caller)
        let identity = LinkedIdentity.passkey(
            input.response.id, at: try auth.passkeys.relyingParty.id)

        // 1. Open: count, use up the ceremony, and find the account.
        let secret = CeremonySecret(parsing: input.ceremony)
        let claimKey = StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        let opening = try auth.open(
            .signInWithPasskey, counting: [(.address, caller.address)],
            reading: [claimKey] + (secret.map { [$0.key] } ?? []), provenBy: caller.key,
            using: try auth.use(of: secret))
        try opening.admit()
        let ceremony = try auth.ceremony(secret, opening.items, for: .signIn)
        let owner = try auth.owner(opening.items[claimKey])

        // 2. A second read, because the row contains only the ID of the account. For an unknown
        //    passkey, the account of a random ID is read, so that the cost is the same.
        let id = owner ?? UserID(random: auth.random)
        let chain: AuditChain = owner == nil ? .network(of: caller) : .attempts(on: id)
        var found = try account(id, identity, chain, isCounted: true)
        try found.admit()

        // 3. The signature. It is verified once, even if the write must be repeated.
        let attempts = try auth.audit(chain, found.items)
        let known = try found.items.user(id)
        guard let known, known.deletedAt == nil, known.has(identity) else {
            throw try unknown(input, ceremony, attempts, caller)
        }
        let used = try auth.verified(
            input.response, found.items[StoreLayout.passkey(identity.subject, of: id)], of: known,
            ceremony, requiresUserHandle: true, recordingIn: attempts, caller)

        for _ in auth.attempts {
            guard let user = try found.items.user(id), user.deletedAt == nil, user.has(identity)
            else { throw .passkey(.refused) }
            try auth.refuseDisabled(
                user, .signInFailed, on: try auth.audit(chain, found.items), caller)
            // 4. Close: open the session, if the account is unchanged since it was read.
            let now = auth.clock.now()
            let (proven, stopsRemoval) = try self.proven(
                user, used, found, consuming: secret, input.device)
            let result = try ending.close(proven, at: now) { audit, session in
                guard stopsRemoval else { return }
                audit.record(.secondFactorRemovalStopped, session: session, caller, at: now)
            }
            if let result { return result }
            // 5. The account was changed. If the ceremony or the passkey was used concurrently, no
            //    attempt succeeds.
            found = try account(id, identity, chain, isCounted: false)
            guard found.items[StoreLayout.passkey(identity.subject, of: id)] == used.read else {
                throw .passkey(.refused)
            }
        }
        throw .unavailable(.contention)
    }

    private func proven(
        _ user: User, _ used: UsedPasskey, _ found: Opening, consuming secret: CeremonySecret?,
        _ device: DeviceClaim
    ) throws(AuthError) -> (ProvenSignIn, stopsRemoval: Bool) {
        let stop =
            used.proof.isUserVerified
            ? try RemovalStop(
                used.proof, found.items[StoreLayout.secondFactor(of: user.id)], of: user) : nil
        let writes =
            [
                used.write, .check(StoreLayout.profile(user.id), when: UserRecord.unchanged(user)),
                secret.map { .delete($0.key, when: [.present]) }, stop?.write,
            ] as [Write?]
        let proven = ProvenSignIn(
            user: user, provider: LinkedIdentity.passkeyProvider, method: .passkey,
            detail: "passkey", audit: try auth.audit(.account(user.id), found.items),
            writes: writes.compactMap(\.self), proofs: [used.proof.method], device: device,
            passkey: used.proof, history: try auth.history(of: user, first: found.page))
        return (proven, stop != nil)
    }

    /// Does as much work as for a known passkey.
    private func unknown(
        _ input: Input, _ ceremony: PasskeyCeremony, _ attempts: AuditTrail, _ caller: Caller
    ) throws(AuthError) -> AuthError {
        let passkeys = try auth.passkeys
        passkeys.spendWork(
            Assertion(
                relyingParty: passkeys.relyingParty, challenge: ceremony.challenge,
                requiresUserVerification: false), input.response)
        try auth.recordFailure(.passkeyRefused, on: attempts, caller, detail: "unknown")
        return .passkey(.refused)
    }

    private func account(
        _ id: UserID, _ identity: LinkedIdentity, _ attempts: AuditChain, isCounted: Bool
    ) throws(AuthError) -> Opening {
        try auth.open(
            .signInWithPasskey, counting: isCounted ? [(.account, id.text)] : [],
            reading: [
                StoreLayout.profile(id), StoreLayout.passkey(identity.subject, of: id),
                StoreLayout.secondFactor(of: id),
                AuditChain.account(id).headKey, attempts.headKey,
            ], listing: auth.sessionsQuery(id))
    }
}

extension User {
    fileprivate func has(_ passkey: LinkedIdentity) -> Bool {
        identities.contains { identity in
            identity.isPasskey && identity.issuer.isSame(as: passkey.issuer)
                && identity.subject.isSame(as: passkey.subject)
        }
    }
}

extension AuthServices {
    package var signInWithPasskey: SignInWithPasskey { SignInWithPasskey(auth: self) }
}

extension AuthOperation {
    package static let signInWithPasskey = AuthOperation(
        "signInWithPasskey", servedBy: "passkey-signin", counting: [.address, .account],
        audited: .others)
}
