package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time
package import WebAuthn

/// Creates an account with only a passkey, and signs its user in.
///
/// If the request has an address, it is stored as unverified: it claims nothing, and finds no
/// account.
package struct SignUpWithPasskey: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var ceremony: String
        package var response: RegistrationResponse
        package var name: String?
        package var device = DeviceClaim()

        package init(ceremony: String, _ response: RegistrationResponse) {
            self.ceremony = ceremony
            self.response = response
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        var ending = try SignInEnding(auth, .signUpWithPasskey, caller)

        // 1. Open: count, and use up the ceremony.
        let secret = CeremonySecret(parsing: input.ceremony)
        let opening = try auth.open(
            .signUpWithPasskey, counting: [(.address, caller.address)],
            reading: secret.map { [$0.key] } ?? [], provenBy: caller.key,
            using: try auth.use(of: secret))
        try opening.admit()
        let ceremony = try auth.ceremony(secret, opening.items, for: .signUp)
        guard let secret, let id = ceremony.user else { throw .passkey(.ceremonyInvalid) }

        // 2. The new credential.
        let now = auth.clock.now()
        let new = try NewPasskey(auth, input.response, ceremony, name: input.name, at: now)

        // 3. Close: write the account, its passkey and its first session. If two accounts have the
        //    same credential ID, one is refused.
        let account = try NewAccount(
            auth, id: id, email: ceremony.email?.text, isEmailVerified: false, login: nil,
            displayName: ceremony.displayName, identities: [new.identity],
            passkeyHandle: ceremony.userHandle, at: now)
        let proof = PasskeyProof(new, of: id)
        let proven = ProvenSignIn(
            user: account.user, provider: LinkedIdentity.passkeyProvider, method: .passkey,
            detail: "passkey", audit: auth.audit(.account(id), .read(nil)),
            writes: [.delete(secret.key, when: [.present])] + account.writes
                + (try auth.writes(of: new.passkey, new.identity, for: id)),
            isNew: true, proofs: [proof.method], device: input.device, passkey: proof)
        guard let result = try ending.close(proven, at: now) else {
            throw .passkey(.alreadyRegistered)
        }
        return try result.tokens
    }
}

extension AuthServices {
    package var signUpWithPasskey: SignUpWithPasskey { SignUpWithPasskey(auth: self) }
}

extension AuthOperation {
    package static let signUpWithPasskey = AuthOperation(
        "signUpWithPasskey", servedBy: "passkey-signup", counting: [.address], audited: .others)
}
