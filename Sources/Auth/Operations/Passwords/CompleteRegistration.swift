package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Creates the account of a registration, whose address the link or code of a mail verifies, and
/// signs the user in.
///
/// If the link is valid without the password and the address was registered more than once, it is
/// unknown which registration is the owner's: the account is created without a password, and its
/// owner chooses one by mail.
package struct CompleteRegistration: Sendable {
    private static let registrationsPerPageMax = 50

    let auth: AuthServices

    /// - Parameter password: the password that was chosen at registration. Some contracts require
    ///   it with the token, because an attacker may have registered the address with another
    ///   password.
    package func callAsFunction(
        token: String, password: String?, on device: DeviceClaim = DeviceClaim(), _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        try self(.token(token), password: password, on: device, caller)
    }

    /// - Parameters:
    ///   - password: may be nil if the client that registered, and so chose the password, also
    ///     requested the mail.
    ///   - requestSecret: the secret of the request for the mail, if there is a link. A code
    ///     contains it.
    package func callAsFunction(
        _ answer: MailAnswer, password: String?, requestSecret: String? = nil,
        on device: DeviceClaim = DeviceClaim(), _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        var ending = try SignInEnding(auth, .completeRegistration, caller)

        // 1. Open: count, find the registration, and check that its address is still free.
        let passwords = try auth.passwords
        let repeatsPassword =
            passwords.policy.registration == .afterVerification(repeatsPassword: true)
        let link = try answer.link(AddressLink.init(parsing:)) { AddressLink(at: $0) }
        let others = (repeatsPassword ? nil : link).map {
            PartitionQuery($0.registrations, limit: Self.registrationsPerPageMax)
        }
        let opening = try auth.open(
            .completeRegistration, counting: [(.address, caller.address)],
            reading: link.map { [$0.key(.registration), $0.claimKey] } ?? [], listing: others,
            provenBy: caller.key,
            using: try answer.use(within: passwords.policy.verificationLifetime, auth))
        try opening.admit()
        let row = link.flatMap { opening.items[$0.key(.registration)] }
        let isFree = link.map { opening.items[$0.claimKey] == nil } ?? false
        let secret = answer.secret ?? requestSecret.flatMap(RequestSecret.init(parsing:))
        let isRegistrant =
            password == nil && row.map { secret?.choseThePassword(of: $0) ?? false } ?? false
        let knowsPassword =
            if !answer.isCode || !repeatsPassword {
                true
            } else if let password {
                try isRight(password, for: row)
            } else {
                isRegistrant
            }
        guard let link, let item = answer.accepted(row), isFree, knowsPassword else {
            try recordFailure(answer.refusalDetail, caller)
            throw answer.refusal
        }
        let registration = try decoded(PendingRegistration(item))

        // 2. The user of the link must have chosen the password that was registered, or know it.
        if repeatsPassword, !answer.isCode, !isRegistrant {
            guard let password,
                try passwords.isRight(password, hash: registration.passwordHash)
            else {
                try recordFailure("wrongCredentials", caller)
                throw .password(.wrongCredentials)
            }
        }

        // 3. Close: write the account and its first session. The link is deleted in the same
        //    transaction.
        let rival = try others.flatMap { query throws(AuthError) in
            try latestRival(of: registration, query, opening.page)
        }
        guard let tokens = try close(registration, link, rival, on: device, &ending, caller)
        else { throw answer.refusal }
        return tokens
    }

    /// A client that asks for a mail gets a secret, whether or not a mail is sent. So the password
    /// is verified first, with the same work and the same answer in all cases.
    private func isRight(_ password: String, for row: Item?) throws(AuthError) -> Bool {
        let hash = try row.map { row throws(AuthError) in
            try decoded(PendingRegistration(row)).passwordHash
        }
        return try auth.passwords.isRight(password, hash: hash, imported: [])
    }

    /// - Parameter rival: another registration of the address. Its password may be the owner's, who
    ///   therefore gets a mail to choose one.
    /// - Returns: nil if the link or the address was used concurrently.
    private func close(
        _ registration: PendingRegistration, _ link: AddressLink, _ rival: PendingRegistration?,
        on device: DeviceClaim, _ ending: inout SignInEnding, _ caller: Caller
    ) throws(AuthError) -> SessionTokens? {
        let now = auth.clock.now()
        let account = try account(of: registration, isContested: rival != nil, at: now)
        let mail = try rival.map { rival throws(AuthError) in
            try auth.resetMail(
                to: account.user, registration.email,
                chosenAt: max(rival.createdAt, registration.createdAt), hasCode: false, caller,
                at: now)
        }
        let proven = ProvenSignIn(
            user: account.user, provider: LinkedIdentity.passwordProvider, method: .password,
            detail: "password", audit: auth.audit(.account(account.user.id), .read(nil)),
            writes: [.delete(link.key(.registration), when: [.present])] + account.writes
                + (mail?.writes ?? []),
            isNew: true,
            // `beforeSignUp` was asked before the mail.
            isNewForHook: false, proofs: [.password, .mailedLink], device: device)
        let result = try ending.close(proven, at: now) { audit, _ in
            if rival != nil { audit.record(.passwordResetRequested, caller, at: now) }
        }
        guard let result else { return nil }
        mail?.deliver()
        return try result.tokens
    }

    /// The latest registration of the address with another password. Each hash has its own salt, so
    /// the same password registered twice counts as two passwords.
    private func latestRival(
        of registration: PendingRegistration, _ query: PartitionQuery, _ first: Page?
    ) throws(AuthError) -> PendingRegistration? {
        var latest: PendingRegistration?
        for item in try auth.store.everyItem(of: query, first: first) {
            let other = try decoded(PendingRegistration(item))
            if !other.passwordHash.isSame(as: registration.passwordHash),
                other.createdAt >= latest?.createdAt ?? other.createdAt
            {
                latest = other
            }
        }
        return latest
    }

    /// If the registration is contested, the name may come from an attacker, as the password may.
    private func account(
        of registration: PendingRegistration, isContested: Bool, at now: Instant
    ) throws(AuthError) -> NewAccount {
        let email = registration.email
        guard isContested else {
            return try NewAccount(
                auth, password: registration.passwordHash, email: email, isEmailVerified: true,
                displayName: registration.displayName, at: now)
        }
        return try NewAccount(
            auth, email: email.text, isEmailVerified: true, login: email.folded,
            displayName: nil, identities: [.password(email)], at: now)
    }

    /// The link identifies no account, so the failure is recorded in the chain of the client's
    /// network address.
    private func recordFailure(_ detail: String, _ caller: Caller) throws(AuthError) {
        try auth.recordFailure(
            .verificationFailed, on: auth.networkAudit(caller), caller, detail: detail)
    }
}

extension CompleteRegistration {
    /// Whether the link and the secret belong to the same mail. This does not prove that either is
    /// genuine.
    package static func isOneMail(token: String, requestSecret: String) -> Bool {
        guard let link = AddressLink(parsing: token),
            let secret = RequestSecret(parsing: requestSecret)
        else { return false }
        return secret.place == link.place
    }
}

extension AuthServices {
    package var completeRegistration: CompleteRegistration { CompleteRegistration(auth: self) }
}

extension AuthOperation {
    package static let completeRegistration = AuthOperation(
        "verifyEmail", servedBy: "verify-email", counting: [.address], audited: .others,
        hashing: true)
}
