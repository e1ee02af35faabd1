package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Creates an account with an e-mail address and a password, at once or when the address is
/// verified (`PasswordPolicy.Registration`).
package struct Register: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var email: EmailAddress
        package var password: String
        package var displayName: String?

        package init(email: EmailAddress, password: String, displayName: String? = nil) {
            self.email = email
            self.password = password
            self.displayName = displayName.flatMap(PersonName.cleaned)
        }
    }

    package enum Output: Equatable, Sendable {
        case created(User)
        /// The response is the same for an address that is taken: its owner is notified by mail.
        ///
        /// - Parameter requestSecret: the secret that is needed together with the code of the mail,
        ///   if mails have codes.
        case verificationSent(requestSecret: String? = nil)

        package var requestSecret: String? {
            switch self {
            case .created: nil
            case .verificationSent(let secret): secret
            }
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        // 1. Check the rules, which do not depend on stored data.
        let passwords = try auth.passwords
        try passwords.check(input.password, for: input.email)

        // 2. Open: count before anything is hashed, and check whether the address is taken.
        let claimKey = StoreLayout.emailClaim(input.email)
        let chain = AuditChain.email(input.email)
        let opening = try auth.open(
            .register,
            counting: [(.address, caller.address), (.email, input.email.folded)],
            reading: [claimKey, chain.headKey],
            mailing: passwords.policy.registration == .immediate ? nil : .toAnyone(input.email))
        try opening.admit()
        let isTaken = opening.items[claimKey] != nil

        // 3. Ask the application, also about a taken address.
        try auth.askBeforeSignUp(email: input.email, .register, caller)

        // 4. Close.
        switch passwords.policy.registration {
        case .immediate:
            guard !isTaken else { throw .account(.emailTaken) }
            return .created(try create(input, try passwords.hash(input.password), caller))
        case .afterVerification:
            return .verificationSent(
                requestSecret: try sendVerification(
                    input, try passwords.hash(input.password), isTaken: isTaken, opening,
                    try auth.audit(chain, opening.items), caller))
        }
    }

    private func create(
        _ input: Input, _ hash: String, _ caller: Caller
    ) throws(AuthError) -> User {
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, password: hash, email: input.email, isEmailVerified: false,
            displayName: input.displayName, at: now)
        var audit = auth.audit(.account(account.user.id), .read(nil))
        audit.record(.accountCreated, caller, detail: "password", at: now)
        // Another request registered the same address in the meantime.
        guard try auth.commit(account.writes, &audit) else { throw .account(.emailTaken) }
        return account.user
    }

    /// Writes the same rows in both cases. For a taken address, the mail is a notice to its owner.
    private func sendVerification(
        _ input: Input, _ hash: String, isTaken: Bool, _ opening: Opening, _ trail: AuditTrail,
        _ caller: Caller
    ) throws(AuthError) -> String? {
        let now = auth.clock.now()
        let registration = PendingRegistration(
            email: input.email, passwordHash: hash, displayName: input.displayName,
            createdAt: now)
        let mail = try auth.verificationMail(
            registration, isTaken: isTaken, isForRegistrant: true, caller, at: now
        ).within(opening.withheldBy, auth, at: now)
        var audit = trail
        audit.record(.verificationRequested, caller, detail: "register", at: now)
        guard try auth.commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }
}

extension NewAccount {
    /// An account that signs in with a password.
    init(
        _ auth: AuthServices, password hash: String, email: EmailAddress, isEmailVerified: Bool,
        displayName: String?, role: AdminRole? = nil, at now: Instant
    ) throws(AuthError) {
        let account = try NewAccount(
            auth, email: email.text, isEmailVerified: isEmailVerified, login: email.folded,
            displayName: displayName, identities: [.password(email)], role: role, at: now)
        let password = PasswordRecord.item(hash, of: account.user.id, changedAt: now)
        self.init(
            user: account.user, writes: account.writes + [.put(password, when: [.absent])])
    }
}

extension AuthServices {
    package var register: Register { Register(auth: self) }
}

extension AuthOperation {
    package static let register = AuthOperation(
        "register", counting: [.address, .email], audited: .others, hashing: true)
}
