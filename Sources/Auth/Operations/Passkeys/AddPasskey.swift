package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time
package import WebAuthn

/// Adds a passkey to the account of a user who signed in recently, with every factor of the
/// account: otherwise an attacker with a stolen password could add a passkey that counts as two
/// factors.
package struct AddPasskey: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var ceremony: String
        package var response: RegistrationResponse
        package var name: String?

        package init(ceremony: String, _ response: RegistrationResponse) {
            self.ceremony = ceremony
            self.response = response
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> PasskeyList {
        let secret = CeremonySecret(parsing: input.ceremony)
        for attempt in auth.attempts {
            // 1. Open: authenticate, and use up the ceremony, which must belong to this account.
            let (principal, items, page) = try auth.authenticate.open(
                caller, for: .addPasskey, attempt: attempt, using: try auth.use(of: secret),
                reading: { _ in secret.map { [$0.key] } ?? [] },
                listing: StoreLayout.passkeys(of:))
            let user = principal.user
            let now = auth.clock.now()
            try auth.requireRecentSignIn(principal, at: now)
            let ceremony = try auth.ceremony(secret, items, for: .add)
            guard let secret, ceremony.user == user.id, ceremony.epoch == user.epoch else {
                throw .passkey(.ceremonyInvalid)
            }
            // If two ceremonies began before the account had a handle, the later one fails here.
            guard user.passkeyHandle == nil || user.passkeyHandle == ceremony.userHandle else {
                throw .passkey(.ceremonyInvalid)
            }
            let known = try auth.passkeys(page)
            guard known.count < (try auth.passkeyPolicy).countMax else {
                throw .passkey(.tooMany)
            }

            // 2. The new credential.
            let new = try NewPasskey(auth, input.response, ceremony, name: input.name, at: now)
            let claimKey = StoreLayout.identity(
                issuer: new.identity.issuer, subject: new.identity.subject)
            guard try auth.store.get(claimKey) == nil else { throw .passkey(.alreadyRegistered) }

            // 3. Close: write the account, its passkey, and a mail to the owner.
            var audit = auth.audit(.account(user.id), principal.auditHead)
            let change = try MethodChange(
                auth, of: user, .methodAdded, .passkey, by: principal.session, &audit, caller,
                at: now
            ) { user in
                user.identities.append(new.identity)
                user.passkeyHandle = ceremony.userHandle
            }
            let closing =
                [
                    .delete(secret.key, when: [.present]),
                    .check(
                        StoreLayout.session(principal.session.id, of: user.id), when: [.present]),
                ] + change.writes + (try auth.writes(of: new.passkey, new.identity, for: user.id))
            guard try auth.commit(closing, &audit) else { continue }
            change.notice.deliver()
            let row = PasskeyRecord.item(
                new.passkey, id: new.identity.subject, of: user.id, sealed: [])
            return try auth.list(
                of: principal, changed: change.user,
                known + [StoredPasskey(item: row, passkey: new.passkey)])
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var addPasskey: AddPasskey { AddPasskey(auth: self) }
}

extension AuthOperation {
    package static let addPasskey = AuthOperation(
        "addPasskey", servedBy: "passkeys", audited: .caller)
}
