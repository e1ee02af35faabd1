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
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package struct Input: Sendable {
        package var email: EmailAddress
        package var password: String
        package var deviceName: String?
        package var deviceSystem: String?

        package init(email: EmailAddress, password: String) {
            self.email = email
            self.password = password
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        // 1. The key first: a wrong master key must not look like a wrong password.
        let signer = try auth.accessTokens.signer(at: auth.clock.now())

        // 2. Open: count before anything is hashed, and find the account.
        let opening = try auth.open(
            .login,
            counting: [(.address, caller.address), (.email, input.email.folded)],
            reading: [StoreLayout.emailClaim(input.email.folded)])
        try opening.admit()
        let owner = try auth.owner(opening.items[0])

        // 3. A second read: the address only names the account.
        var account = try auth.emailAccount(owner, .login)

        // 4. The password. It is checked once, whatever races are lost afterwards.
        let hash = try account?.hash
        guard try auth.passwords.isRight(input.password, hash: hash), let hash else {
            try recordFailure(input, owner, caller)
            throw .password(.wrongCredentials)
        }
        let rehash = try auth.passwords.rehash(input.password, hash: hash)

        for _ in 0..<Attempts.max {
            // Changed or deleted meanwhile: what was checked is not the password any more.
            guard let current = account, let password = current.password,
                try current.hash?.isSame(as: hash) == true
            else { throw .password(.wrongCredentials) }
            guard !current.user.isDisabled else { throw .account(.disabled) }
            // 5. Close: the session, while account and password are what was read.
            let now = auth.clock.now()
            let session = try SessionOpening(
                auth, for: current.user, from: origin(input, caller), others: current.sessions,
                at: now)
            let closing =
                [
                    .check(
                        StoreLayout.profile(current.user.id),
                        when: UserRecord.unchanged(current.user)),
                    rehash.map { PasswordRecord.rehashed(password, $0) }
                        ?? .check(password.key, when: PasswordRecord.unchanged(password)),
                    AuditRecord.write(
                        .signedIn, user: current.user.id, session: session.family.id,
                        address: caller.address, detail: "password", at: now,
                        random: auth.random),
                ] + session.writes
            if try attempted({ () throws(StoreFailure) in try auth.store.write(closing) }) {
                return SessionTokens(
                    access: try signer.issue(to: current.user, session: session.family.id, at: now),
                    refresh: session.refresh, session: session.family.id, user: current.user)
            }
            account = try auth.emailAccount(owner, .login)
        }
        throw .unavailable(.contention)
    }

    private func recordFailure(
        _ input: Input, _ owner: UserID?, _ caller: Caller
    ) throws(AuthError) {
        let now = auth.clock.now()
        let audit =
            owner.map { owner in
                AuditRecord.write(
                    .signInFailed, user: owner, session: nil, address: caller.address,
                    detail: "password", at: now, random: auth.random)
            }
            ?? AuditRecord.write(
                .signInFailed, unknown: input.email, address: caller.address, at: now,
                random: auth.random)
        try stored { () throws(StoreFailure) in try auth.store.write([audit]) }
    }

    private func origin(_ input: Input, _ caller: Caller) -> SessionOrigin {
        SessionOrigin(
            provider: LinkedIdentity.passwordProvider, deviceName: input.deviceName,
            deviceSystem: input.deviceSystem, address: caller.address,
            userAgent: caller.userAgent)
    }
}

extension AuthServices {
    package var logIn: LogIn { LogIn(self) }
}

extension AuthOperation {
    package static let login = AuthOperation("login", counting: [.address, .email])
}
