package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Signs a user in with an e-mail address and a password.
///
/// An unknown address, a wrong password and an account without a password cannot be distinguished:
/// the same response, the same number of reads and writes, one hash each (ASVS 5.0, 6.3.8). Only a
/// caller with the right password learns that the account is disabled.
package struct LogIn: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var email: EmailAddress
        package var password: String
        package var device = DeviceClaim()

        package init(email: EmailAddress, password: String) {
            self.email = email
            self.password = password
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> SignInResult {
        // 1. Get the signing key first: a wrong master key must not look like a wrong password.
        let signer = try auth.accessTokens.signer(for: .login, caller)

        // 2. Open: count before anything is hashed, and find the account.
        let claimKey = StoreLayout.emailClaim(input.email)
        let opening = try auth.open(
            .login,
            counting: [(.address, caller.address), (.email, input.email.folded)],
            reading: [claimKey], provenBy: caller.key)
        try opening.admit()
        let owner = try auth.owner(opening.items[claimKey])

        // 3. A second read: the row of the address contains only the account's ID.
        var found = try auth.emailLookup(
            input.email, owner, .login, reading: [StoreLayout.importedHashes])

        // 4. Check the password, once, even if races are lost afterwards.
        let hash = try found.account?.hash
        let imported = ImportedHashes.works(found.items[StoreLayout.importedHashes])
        guard try auth.passwords.isRight(input.password, hash: hash, imported: imported), let hash
        else {
            let migrate = UserMigration(auth: auth, input: input, caller: caller)
            if let result = try migrate(isKnown: owner != nil, found.attempts, signer) {
                return result
            }
            try auth.recordFailure(
                .signInFailed, on: found.attempts, caller, detail: "wrongCredentials")
            throw .password(.wrongCredentials)
        }
        let rehash = try auth.passwords.rehash(input.password, hash: hash)

        var hook = SignInHook(auth, .login, caller)
        for _ in auth.attempts {
            // If the password was changed or deleted meanwhile, the check no longer counts.
            guard let current = found.account, let password = current.password,
                try current.hash?.isSame(as: hash) == true
            else { throw .password(.wrongCredentials) }
            guard !current.user.isDisabled else {
                try auth.recordFailure(
                    .signInFailed, on: found.attempts, caller, detail: "accountDisabled")
                throw .account(.disabled)
            }
            // 5. Ask the application.
            let approval = try hook.approval(
                of: current.user, by: LinkedIdentity.passwordProvider, provenBy: [.password])

            // 6. Close: the session, on the condition that account and password are unchanged.
            let now = auth.clock.now()
            var audit = found.audit
            let factor = try auth.firstFactor(
                of: current.user, by: LinkedIdentity.passwordProvider, .password, on: input.device,
                added: try decoded(PasswordRecord.addition(password)), approval, current.history,
                signer, &audit, caller, at: now)
            audit.record(
                factor.event, session: factor.session, caller, detail: "password", at: now)
            let closing =
                [
                    .check(
                        StoreLayout.profile(current.user.id),
                        when: UserRecord.unchanged(current.user)),
                    rehash.map { PasswordRecord.rehashed(password, $0) }
                        ?? .check(password.key, when: PasswordRecord.unchanged(password)),
                ] + factor.writes
            if try auth.commit(closing, &audit) {
                factor.deliver()
                return try factor.result(for: current.user, at: now)
            }
            found = try auth.emailLookup(input.email, owner, .login)
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var logIn: LogIn { LogIn(auth: self) }
}

extension AuthOperation {
    package static let login = AuthOperation(
        "login", counting: [.address, .email], audited: .others, hashing: true)
}
