package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Creates the account of a registration whose address is verified by the token of the mailed link,
/// and signs its user in.
package struct VerifyEmail: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// - Parameter password: where the contract wants it beside the token.
    package func callAsFunction(
        token: String, password: String?, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(at: auth.clock.now())

        // 1. Open: count, find the registration, and see whether its address is still free.
        let link = AddressLink(parsing: token)
        let opening = try auth.open(
            .verifyEmail, counting: [(.address, caller.address)],
            reading: link.map { [$0.key(.registration), $0.claimKey] } ?? [],
            provenBy: caller.key)
        try opening.admit()
        guard let link, let item = opening.items[0], opening.items[1] == nil else {
            try recordFailure("invalidLink", caller)
            throw .emailLink(.invalid)
        }
        let registration = try stored { () throws(StoreFailure) in
            try RegistrationRecord.registration(item)
        }

        // 2. The user of the link must know the password that was registered.
        let passwords = try auth.passwords
        if case .afterVerification(repeatsPassword: true) = passwords.policy.registration {
            guard let password,
                try passwords.isRight(password, hash: registration.passwordHash)
            else {
                try recordFailure("wrongCredentials", caller)
                throw .password(.wrongCredentials)
            }
        }

        // 3. Close: the account and its first session. The link is used up in the same write.
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, password: registration.passwordHash, email: registration.email,
            isEmailVerified: true, displayName: registration.displayName, at: now)
        var audit = auth.audit(.account(account.user.id), .read(nil))
        let factor = try auth.firstFactor(
            of: account.user,
            from: SessionOrigin(
                provider: LinkedIdentity.passwordProvider, deviceName: nil, deviceSystem: nil,
                address: caller.address, userAgent: caller.userAgent),
            on: DeviceClaim(), SignInHistory(), &audit, caller, at: now)
        audit.record(
            .accountCreated, session: factor.session, caller, detail: "password", at: now)
        let closing =
            [.delete(link.key(.registration), when: [.present])] + account.writes + factor.writes
        guard try auth.commit(closing, &audit) else { throw .emailLink(.invalid) }
        return try factor.result(for: account.user, signer, at: now).tokens
    }

    /// A link proves no account, so it is recorded where it came from.
    private func recordFailure(_ detail: String, _ caller: Caller) throws(AuthError) {
        try auth.recordFailure(
            .verificationFailed, on: auth.networkAudit(caller), caller, detail: detail)
    }
}

extension AuthServices {
    package var verifyEmail: VerifyEmail { VerifyEmail(self) }
}

extension AuthOperation {
    package static let verifyEmail = AuthOperation(
        "verifyEmail", servedBy: "verify-email", counting: [.address], audited: .others)
}
