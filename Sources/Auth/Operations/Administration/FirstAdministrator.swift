package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Creates the first account with the role `administrator`, for anyone who has the link that a
/// server prints when it starts.
///
/// Requests from the server's own machine need the link, too: behind a proxy on that machine, every
/// request comes from loopback. The link works once, for a day; a new link replaces it.
package struct FirstAdministrator: Sendable {
    package static let linkLifetime = Span.hours(24)
    /// The actor that the audit log names when the link makes the first administrator.
    package static let maker = "firstAdministratorLink"

    private static let tokenBytes = 32

    let auth: AuthServices

    /// - Returns: the token of a new link; the store has only its hash. nil if an account has a
    ///   role already, or if there are no pages on which the administrator could sign in.
    package func invite() throws(AuthError) -> String? {
        guard auth.policy.pages != nil, auth.policy.passwords != nil,
            try auth.findUsers.withRoles().users.isEmpty
        else { return nil }
        let token = auth.random.bytes(Self.tokenBytes)
        let item = Item(
            StoreLayout.firstAdministratorLink, ["hash": .bytes(SHA256.hash(token))],
            expiresAt: auth.clock.now() + Self.linkLifetime)
        guard try auth.store.attempt([.put(item, when: [])]) else {
            throw .unavailable(.contention)
        }
        return Base64URL.encode(token)
    }

    /// Throws unless the link can still be used.
    package func check(_ token: String) throws(AuthError) {
        _ = try hash(of: token, auth.store.get(StoreLayout.firstAdministratorLink))
    }

    /// The address counts as verified, because the operator vouches for it.
    ///
    /// - Returns: the tokens of the account's first session.
    package func callAsFunction(
        _ input: Register.Input, token: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        var ending = try SignInEnding(auth, .makeFirstAdministrator, caller)
        let claim = StoreLayout.emailClaim(input.email)
        let items = try auth.store.get([StoreLayout.firstAdministratorLink, claim])
        let hash = try hash(of: token, items[StoreLayout.firstAdministratorLink])
        let passwords = try auth.passwords
        try passwords.check(input.password, for: input.email)
        guard items[claim] == nil else { throw .account(.emailTaken) }

        let now = auth.clock.now()
        let account = try NewAccount(
            auth, password: try passwords.hash(input.password), email: input.email,
            isEmailVerified: true, displayName: input.displayName, role: .administrator, at: now)
        // If two browsers use the link, only one makes the account.
        let use = Write.delete(
            StoreLayout.firstAdministratorLink, when: [.equals("hash", .bytes(hash))])
        let proven = ProvenSignIn(
            user: account.user, provider: LinkedIdentity.passwordProvider, method: .password,
            detail: "password", audit: auth.audit(.account(account.user.id), .read(nil)),
            writes: [use] + account.writes, isNew: true)
        let result = try ending.close(proven, at: now) { audit, _ in
            audit.record(
                .madeAdministrator, caller, detail: "without a second factor",
                by: Self.maker, at: now)
        }
        guard let result else {
            try check(token)
            throw .account(.emailTaken)
        }
        return try result.tokens
    }

    /// - Parameter row: the row of the link; nil if the link has been used or has expired.
    private func hash(of token: String, _ row: Item?) throws(AuthError) -> [UInt8] {
        guard token.utf8.count <= 64, let bytes = Base64URL.decode(token),
            case .bytes(let expected)? = row?.attributes["hash"],
            constantTimeEquals(SHA256.hash(bytes), expected)
        else { throw .emailLink(.invalid) }
        return expected
    }
}

extension AuthServices {
    package var firstAdministrator: FirstAdministrator { FirstAdministrator(auth: self) }
}

extension AuthOperation {
    /// Creates a link for the first administrator.
    package static let inviteFirstAdministrator = administration("inviteFirstAdministrator")
    package static let makeFirstAdministrator = administration("makeFirstAdministrator")
}
