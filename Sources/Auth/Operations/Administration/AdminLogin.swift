package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Opens an administrator's session for whoever knows the administrator's password.
///
/// The password is the deployment's, not an account's, so guesses are limited by address and all
/// together, before anything is hashed.
package struct AdminLogin: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package struct Output: Sendable {
        /// For the cookie: 256 bits in base64url, of which the store has the hash.
        package let token: String
        package let lifetime: Span
    }

    /// - Parameter previous: the token of the browser's session before, which ends.
    package func callAsFunction(
        password: String, replacing previous: String?, _ caller: Caller
    ) throws(AuthError) -> Output {
        let expected = try auth.adminPassword
        try auth.open(
            .adminLogin, counting: [(.address, caller.address), (.overall, "administration")]
        ).admit()

        guard try expected.isMatched(by: password) else {
            let audit = AuditRecord.administration(
                .adminLoginFailed, address: caller.address, at: auth.clock.now(),
                random: auth.random)
            try stored { () throws(StoreFailure) in try auth.store.write([audit]) }
            throw .administration(.wrongPassword)
        }

        // A new token each time: one that was planted before the sign-in opens nothing.
        let bytes = auth.random.bytes(AdminSessionToken.bytes)
        let now = auth.clock.now()
        let session = AdminSession(createdAt: now, lastUsedAt: now)
        var writes: [Write] = [
            .put(
                AdminSessionRecord.item(
                    session, hash: SHA256.hash(bytes),
                    expiresAt: session.expiresAt(auth.policy.admin)), when: [.absent]),
            AuditRecord.administration(
                .adminLoggedIn, address: caller.address, at: now, random: auth.random),
        ]
        if let hash = AdminSessionToken.hash(previous) {
            writes.append(.delete(StoreLayout.adminSession(hash: hash), when: []))
        }
        let closing = writes
        try stored { () throws(StoreFailure) in try auth.store.write(closing) }
        return Output(
            token: Base64URL.encode(bytes), lifetime: auth.policy.admin.absoluteLifetime)
    }
}

enum AdminSessionToken {
    static let bytes = 32

    /// nil for what cannot be one of our tokens.
    static func hash(_ token: String?) -> [UInt8]? {
        guard let token, token.utf8.count <= 64, let decoded = Base64URL.decode(token),
            decoded.count == bytes
        else { return nil }
        return SHA256.hash(decoded)
    }
}

extension AuthServices {
    package var adminLogin: AdminLogin { AdminLogin(self) }
}

extension AuthOperation {
    package static let adminLogin = AuthOperation(
        "adminLogin", servedBy: "admin-login", counting: [.address, .overall])
    /// The page with the form.
    package static let adminLoginPage = AuthOperation(
        "adminLoginPage", servedBy: "admin-login", counting: [])
}
