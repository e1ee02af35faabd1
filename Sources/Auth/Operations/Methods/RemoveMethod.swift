package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Removes a sign-in method from the account of a user who signed in recently. The last one cannot
/// be removed.
///
/// Every session ends, because the user may suspect a session that was opened with that method, and
/// the caller gets a new one. Housekeeping revokes the provider's own tokens, so the removal does
/// not depend on the provider's server; until then they are kept, encrypted.
package struct RemoveMethod: Sendable {
    let auth: AuthServices

    /// - Parameter name: the name of a provider, `email` for the address and its password, or
    ///   `password` for only the password.
    package func callAsFunction(
        _ name: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(for: .removeMethod, caller)

        for attempt in auth.attempts {
            // 1. Open: authenticate, and read the password.
            let (principal, items) = try auth.authenticate.open(
                caller, for: .removeMethod, attempt: attempt
            ) { user in [StoreLayout.password(of: user)] }
            let now = auth.clock.now()
            try auth.requireRecentSignIn(principal, at: now)

            // 2. At least one sign-in method must remain.
            let method = SignInMethod(name: name)
            let password = items[StoreLayout.password(of: principal.user.id)]
            let removal = try removal(
                of: method, from: principal.user, password: password, at: now)
            guard !removal.identities.isEmpty else { throw .method(.last) }

            // 3. Close. If two removals are concurrent, one starts over, so that one method
            //    remains.
            var audit = auth.audit(.account(principal.user.id), principal.auditHead)
            let change = try MethodChange(
                auth, of: principal.user, .methodRemoved, method, by: principal.session,
                &audit, caller, at: now
            ) { user in
                user.identities = removal.identities
                user.epoch += 1
            }
            let session = try SessionOpening(
                auth,
                for: SessionPermit(
                    replacing: principal, of: change.user, principal.session.proofs),
                from: principal.session.origin, beside: SignInHistory(), signer, &audit, caller,
                at: now)
            let closing =
                change.writes + removal.writes + session.writes
                + [auth.deletion(of: principal.session, when: [.present])]
            guard try auth.commit(closing, &audit) else { continue }
            change.notice.deliver()
            return try session.tokens(for: change.user, at: now)
        }
        throw .unavailable(.contention)
    }

    struct Removal {
        /// The remaining identities.
        var identities: [LinkedIdentity]
        var writes: [Write] = []
    }

    func removal(
        of method: SignInMethod, from user: User, password: Item?, at now: Instant
    ) throws(AuthError) -> Removal {
        var removal = Removal(identities: user.identities)
        switch method {
        case .provider(let name):
            let identity = user.identities.first { !$0.isPassword && $0.provider.isSame(as: name) }
            guard let identity else { throw .method(.notFound) }
            removal.identities.removeAll { $0 == identity }
            removal.writes += auth.removal(of: [identity], from: user.id, at: now)
        // Users remove passkeys by a separate route (`RemovePasskey`).
        case .passkey: throw .method(.notFound)
        case .password:
            guard let password else { throw .method(.notFound) }
            removal.writes.append(.delete(password.key, when: []))
            // Without a password, the address is a sign-in method only in contracts with mailed
            // links.
            if auth.policy.magicLinks == nil { removal.identities.removeAll(where: \.isPassword) }
        case .email:
            removal.identities.removeAll(where: \.isPassword)
            guard removal.identities != user.identities else { throw .method(.notFound) }
            if let password { removal.writes.append(.delete(password.key, when: [])) }
        }
        return removal
    }
}

extension AuthServices {
    package var removeMethod: RemoveMethod { RemoveMethod(auth: self) }

    /// - Parameter id: nil removes all passkeys.
    func removal(
        ofPasskey id: String?, from user: User, at now: Instant
    ) throws(AuthError) -> RemoveMethod.Removal {
        let removed = user.identities.filter { identity in
            identity.isPasskey && id.map(identity.subject.isSame) ?? true
        }
        guard !removed.isEmpty else { throw .method(.notFound) }
        return RemoveMethod.Removal(
            identities: user.identities.filter { !removed.contains($0) },
            writes: removal(of: removed, from: user.id, at: now))
    }
}

extension AuthOperation {
    package static let removeMethod = AuthOperation(
        "removeMethod", servedBy: "methods", audited: .caller)
}
