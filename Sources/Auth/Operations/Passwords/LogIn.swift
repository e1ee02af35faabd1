package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Signs a user in with an e-mail address and a password.
///
/// An unknown address, a wrong password and an account without a password cannot be distinguished:
/// the response, the numbers of reads and writes, and the one hash are the same (ASVS 5.0, 6.3.8).
/// Only a caller with the right password learns that the account is disabled.
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
        var ending = try SignInEnding(auth, .login, caller)

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

        // 4. Check the password once, even if the write must be repeated.
        let hash = try found.account?.hash
        let imported = ImportedHashes.works(found.items[StoreLayout.importedHashes])
        guard try auth.passwords.isRight(input.password, hash: hash, imported: imported), let hash
        else {
            let migrate = UserMigration(auth: auth, input: input, caller: caller)
            if let result = try migrate(isKnown: owner != nil, found.attempts, &ending) {
                return result
            }
            try auth.recordFailure(
                .signInFailed, on: found.attempts, caller, detail: "wrongCredentials")
            throw .password(.wrongCredentials)
        }
        let rehash = try auth.passwords.rehash(input.password, hash: hash)

        for _ in auth.attempts {
            // If the password was changed or deleted in the meantime, the check no longer counts.
            guard let current = found.account, let password = current.password,
                try current.hash?.isSame(as: hash) == true
            else { throw .password(.wrongCredentials) }
            try auth.refuseDisabled(current.user, .signInFailed, on: found.attempts, caller)
            // 5. Close: write the session, on the condition that account and password are
            //    unchanged.
            let proven = try self.proven(current, password, rehash, found.audit, input.device)
            if let result = try ending.close(proven, at: auth.clock.now()) { return result }
            found = try auth.emailLookup(input.email, owner, .login)
        }
        throw .unavailable(.contention)
    }

    private func proven(
        _ account: EmailAccount, _ password: Item, _ rehash: String?, _ audit: AuditTrail,
        _ device: DeviceClaim
    ) throws(AuthError) -> ProvenSignIn {
        ProvenSignIn(
            user: account.user, provider: LinkedIdentity.passwordProvider, method: .password,
            detail: "password", audit: audit,
            writes: [
                .check(
                    StoreLayout.profile(account.user.id), when: UserRecord.unchanged(account.user)),
                rehash.map { PasswordRecord.rehashed(password, $0) }
                    ?? .check(password.key, when: PasswordRecord.unchanged(password)),
            ], device: device, password: try decoded(PasswordRecord.addition(password)),
            history: account.history)
    }
}

extension AuthServices {
    package var logIn: LogIn { LogIn(auth: self) }
}

extension AuthOperation {
    package static let login = AuthOperation(
        "login", counting: [.address, .email], audited: .others, hashing: true)
}
