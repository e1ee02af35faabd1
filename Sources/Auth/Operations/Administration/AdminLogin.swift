package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Opens an administrator's session with the administrator's password.
///
/// The password belongs to the deployment, not to an account, so guesses are limited per address
/// and overall, before the password is hashed.
package struct AdminLogin: Sendable {
    let auth: AuthServices

    package struct Output: Sendable {
        /// The cookie's value: 256 random bits in base64url. The store has its hash.
        package let token: String
        package let lifetime: Span
    }

    /// - Parameter previous: the tokens of the browser's previous sessions, which end.
    package func callAsFunction(
        password: String, replacing previous: [String] = [], _ caller: Caller
    ) throws(AuthError) -> Output {
        let chain = AuditChain.administration
        let opening = try verified(password, caller)

        // A new token each time, against session fixation.
        let bytes = auth.random.bytes(AdminSessionToken.bytes)
        let now = auth.clock.now()
        let session = AdminSession(createdAt: now, lastUsedAt: now)
        var writes: [Write] = [
            .put(
                AdminSessionRecord.item(
                    session, hash: SHA256.hash(bytes),
                    expiresAt: session.expiresAt(auth.policy.admin)), when: [.absent])
        ]
        // Two cookies may have the same value, and a transaction names each row once.
        for hash in Set(previous.compactMap(AdminSessionToken.hash)) {
            writes.append(.delete(StoreLayout.adminSession(hash: hash), when: []))
        }
        var audit = try auth.audit(chain, opening.items)
        audit.record(.adminLoggedIn, caller, at: now)
        guard try auth.commit(writes, &audit) else { throw .unavailable(.contention) }
        return Output(
            token: Base64URL.encode(bytes), lifetime: auth.policy.admin.absoluteLifetime)
    }

    /// Asks a signed-in administrator for the password again. Guesses count as guesses at a
    /// sign-in, but right passwords do not, so that an administrator can do many things in a row.
    package func confirm(password: String, _ caller: Caller) throws(AuthError) {
        try auth.uncount(try verified(password, caller))
    }

    private func verified(_ password: String, _ caller: Caller) throws(AuthError) -> Opening {
        let expected = try auth.adminPassword
        let attempts = AuditChain.administrationAttempts
        let opening = try auth.open(
            .adminLogin, counting: [(.address, caller.address), (.overall, "administration")],
            reading: [AuditChain.administration.headKey, attempts.headKey])
        try opening.admit()

        let isRight = try auth.hashingLimit.run { () throws(AuthError) in
            try expected.isMatched(by: password)
        }
        guard isRight else {
            try auth.recordFailure(
                .adminLoginFailed, on: try auth.audit(attempts, opening.items), caller,
                detail: "wrongPassword")
            throw .administration(.wrongPassword)
        }
        return opening
    }
}

enum AdminSessionToken {
    static let bytes = 32

    /// nil if the text does not have the form of a token.
    static func hash(_ token: String?) -> [UInt8]? {
        guard let token, token.utf8.count <= 64, let decoded = Base64URL.decode(token),
            decoded.count == bytes
        else { return nil }
        return SHA256.hash(decoded)
    }
}

extension AuthServices {
    package var adminLogin: AdminLogin { AdminLogin(auth: self) }
}

extension AuthOperation {
    package static let adminLogin = AuthOperation(
        "adminLogin", servedBy: "admin-login", counting: [.address, .overall], audited: .others,
        hashing: true)
    /// The HTML page with the login form.
    package static let adminLoginPage = AuthOperation(
        "adminLoginPage", servedBy: "admin-login", counting: [])
}
