package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Gives a passkey of the signed-in user another name.
    package func renamePasskey(
        _ id: String, to name: String, _ caller: Caller
    ) throws(AuthError) -> PasskeyList {
        for attempt in attempts {
            let (principal, _, page) = try authenticate.open(
                caller, for: .renamePasskey, attempt: attempt, reading: { _ in [] },
                listing: StoreLayout.passkeys(of:))
            let user = principal.user.id
            var known = try passkeys(page)
            guard let index = known.firstIndex(where: { $0.id.isSame(as: id) }) else {
                throw .passkey(.notFound)
            }
            known[index].passkey.name = PersonName.cleaned(name)
            let stored = known[index]
            var audit = audit(.account(user), principal.auditHead)
            audit.record(
                .passkeyRenamed, session: principal.session.id, caller, at: clock.now())
            let write = try replacing(stored, of: user, with: stored.passkey)
            if try commit([write], &audit) { return try list(of: principal, known) }
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    package static let renamePasskey = AuthOperation(
        "renamePasskey", servedBy: "passkeys", audited: .caller)
}
