package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Signs in with the link or code of a mail. The response does not distinguish unknown, used and
/// expired links and links requested by another app.
package struct RedeemMagicLink: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var answer: MailAnswer
        /// The secret that the request for the link returned.
        package var requestSecret: String?
        package var device = DeviceClaim()

        package init(token: String, requestSecret: String? = nil) {
            answer = .token(token)
            self.requestSecret = requestSecret
        }

        package init(code: String, requestSecret: String) {
            answer = .code(code, requestSecret: requestSecret)
            self.requestSecret = requestSecret
        }
    }

    package struct Output: Sendable {
        package let result: SignInResult
        package let isNewUser: Bool
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        let policy = try auth.magicLinks
        var ending = try SignInEnding(auth, .redeemMagicLink, caller)

        // 1. Open: count, and find the link and the owner of its address.
        let answer = input.answer
        let link = try answer.link(AddressLink.init(parsing:)) { AddressLink(at: $0) }
        let keys = link.map { [$0.key(.magicLink), $0.claimKey] } ?? []
        let opening = try auth.open(
            .redeemMagicLink, counting: [(.address, caller.address)], reading: keys,
            provenBy: caller.key, using: try answer.use(within: policy.lifetime, auth))
        try opening.admit()
        guard let link else { throw try refused(answer, caller) }
        var found = opening.items

        for _ in auth.attempts {
            guard let item = answer.accepted(found[link.key(.magicLink)]) else {
                throw try refused(answer, caller)
            }
            let magicLink = try decoded(MagicLink(item))
            // 2. A link that another app requested is refused, and remains valid for that app.
            guard !policy.needsRequestSecret || magicLink.isRequested(by: input.requestSecret)
            else {
                throw try refused(answer, caller)
            }

            // 3. Read the account: a third round trip if it exists.
            let now = auth.clock.now()
            let resolved = try resolveAccount(
                magicLink.target, answer, link.claimKey,
                owner: try auth.owner(found[link.claimKey]), caller, at: now)

            // 4. Close: write the account, and its session or the ticket for its second factor. The
            //    link is deleted in the same transaction.
            let proven = ProvenSignIn(
                user: resolved.user, provider: LinkedIdentity.passwordProvider,
                method: .mailedLink, detail: "magicLink", audit: resolved.audit,
                writes: [.delete(item.key, when: [.present])] + resolved.writes,
                isNew: resolved.isNewUser, device: input.device, history: resolved.history,
                notice: resolved.notice)
            if let result = try ending.close(proven, at: now) {
                return Output(result: result, isNewUser: resolved.isNewUser)
            }
            // 5. The link was used concurrently, or the account was changed.
            found = try auth.store.get(keys)
        }
        throw .unavailable(.contention)
    }

    /// An invalid link identifies no account, so the failure is recorded in the chain of the
    /// client's network address.
    private func refused(
        _ answer: MailAnswer, _ caller: Caller
    ) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            .signInFailed, on: auth.networkAudit(caller), caller, detail: answer.refusalDetail)
        return answer.refusal
    }

    // MARK: The account

    private struct SignInAccount {
        let user: User
        var isNewUser = false
        let history: SignInHistory
        let writes: [Write]
        let audit: AuditTrail
        var notice = OwnerNotice.none
    }

    private func resolveAccount(
        _ target: MagicLink.Target, _ answer: MailAnswer, _ claim: ItemKey, owner: UserID?,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> SignInAccount {
        switch target {
        case .newAccount(let email):
            // If an account was created in the meantime, this link is refused.
            guard owner == nil else { throw try refused(answer, caller) }
            let account = try NewAccount(
                auth, email: email.text, isEmailVerified: true, login: email.folded,
                displayName: nil, identities: [.password(email)], at: now)
            return SignInAccount(
                user: account.user, isNewUser: true, history: SignInHistory(),
                writes: account.writes,
                audit: auth.audit(.account(account.user.id), .read(nil)))
        case .account(let id, let epoch):
            guard owner == id else { throw try refused(answer, caller) }
            let lookup = try auth.emailLookup(
                id, by: claim, attempts: .attempts(on: id), .redeemMagicLink)
            guard let account = lookup.account, account.user.epoch == epoch else {
                throw try refused(answer, caller)
            }
            try auth.refuseDisabled(account.user, .signInFailed, on: lookup.attempts, caller)
            guard account.user.isEmailVerified else {
                return try proven(account, lookup.audit, caller, at: now)
            }
            return SignInAccount(
                user: account.user, history: account.history,
                writes: [
                    .check(StoreLayout.profile(id), when: UserRecord.unchanged(account.user))
                ], audit: lookup.audit)
        }
    }

    /// The link is the first proof of the address. A password that was chosen before may be an
    /// attacker's (`User.proveAddress`), so it is removed, and the owner can choose another by
    /// mail.
    private func proven(
        _ account: EmailAccount, _ audit: AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> SignInAccount {
        var audit = audit
        var user = account.user
        user.proveAddress(at: now)
        var writes = [UserRecord.replacing(account.user) { $0 = user }]
        user.revision = account.user.revision + 1
        writes += auth.removal(of: account.user.unprovenIdentities, from: user.id, at: now)
        var notice = OwnerNotice.none
        if let password = account.password {
            notice = try auth.notice(
                .methodRemoved, to: user, saying: ["method": SignInMethod.password.name],
                caller, at: now)
            writes.append(.delete(password.key, when: []))
            audit.record(
                .methodRemoved, caller, detail: SignInMethod.password.name, at: now)
        }
        writes += notice.writes
        return SignInAccount(
            user: user, history: SignInHistory(), writes: writes, audit: audit, notice: notice)
    }
}

extension MagicLink {
    /// Whether the app that has the secret asked for the mail.
    func isRequested(by secret: String?) -> Bool {
        guard let secret = secret.flatMap(RequestSecret.init(parsing:)) else { return false }
        return constantTimeEquals(secret.hash, requestHash)
    }
}

extension AuthServices {
    package var redeemMagicLink: RedeemMagicLink { RedeemMagicLink(auth: self) }
}

extension AuthOperation {
    package static let redeemMagicLink = AuthOperation(
        "redeemMagicLink", servedBy: "redeem-magic-link", counting: [.address],
        audited: .others)
}
