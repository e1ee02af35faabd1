package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Gives a passkey of the signed-in user another name.
    package func renamePasskey(
        _ id: String, to name: String, _ caller: Caller
    ) throws(AuthError) -> PasskeyList {
        for attempt in attempts {
            let (principal, items) = try authenticate.open(
                caller, for: .renamePasskey, attempt: attempt
            ) { user in [StoreLayout.passkey(id, of: user)] }
            let user = principal.user.id
            guard let item = items[StoreLayout.passkey(id, of: user)],
                var stored = try passkey(item)
            else { throw .passkey(.notFound) }
            stored.passkey.name = PersonName.cleaned(name)
            var audit = audit(.account(user), principal.auditHead)
            audit.record(
                .passkeyRenamed, session: principal.session.id, caller, at: clock.now())
            let write = try replacing(stored, of: user, with: stored.passkey)
            if try commit([write], &audit) { return try list(of: principal, [stored]) }
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    package static let renamePasskey = AuthOperation(
        "renamePasskey", servedBy: "passkeys", audited: .caller)
}
