internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import Time
internal import WebAuthn

/// A passkey whose registration was verified.
struct NewPasskey {
    let passkey: Passkey
    let identity: LinkedIdentity
}

extension NewPasskey {
    /// - Parameters:
    ///   - name: the name that the user has chosen; with nil it is the name of the passkey's
    ///     provider.
    init(
        _ auth: AuthServices, _ response: RegistrationResponse, _ ceremony: PasskeyCeremony,
        name: String?, at now: Instant
    ) throws(AuthError) {
        guard let handle = ceremony.userHandle.flatMap(UserHandle.init) else {
            throw .fault(.storedDataUnreadable)
        }
        let services = try auth.passkeys
        let registration = Registration(
            relyingParty: services.relyingParty, challenge: ceremony.challenge,
            requiresUserVerification: false, requiresUserPresence: !ceremony.isConditional)
        let registered: RegisteredCredential
        do throws(RegistrationFailure) {
            registered = try registration.verify(response)
        } catch {
            if error == .clientData(.wrongOrigin) {
                auth.logFacts.values.unlistedOrigin = ClientData.origin(in: response.clientDataJSON)
            }
            throw .passkey(.registrationRefused)
        }
        passkey = Passkey(
            PasskeyCredential(registered, of: handle),
            name: name.flatMap(PersonName.cleaned) ?? services.providers[registered.aaguid],
            signatureCount: registered.signatureCount, isBackedUp: registered.isBackedUp,
            transports: registered.transports, createdAt: now, lastUsedAt: now)
        identity = .passkey(registered.id, at: services.relyingParty.id)
    }
}
