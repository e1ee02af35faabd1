package import JSON

/// Options to ask for an assertion: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn section
/// 5.1.9, for the client's `parseRequestOptionsFromJSON`.
package struct RequestOptions: Sendable, Equatable {
    package var relyingParty: RelyingParty
    package var challenge: Challenge
    package var timeout: Duration
    /// For a sign-in, the list is empty: the user chooses, and the options do not reveal which
    /// accounts have credentials (WebAuthn section 14.6.3). For a step-up, it has the credentials
    /// of the signed-in account.
    package var allowed: [CredentialDescriptor]
    package var userVerification: UserVerificationRequirement
    package var hints: [CredentialHint]

    package init(
        relyingParty: RelyingParty, challenge: Challenge, timeout: Duration = .seconds(300),
        allowed: [CredentialDescriptor] = [],
        userVerification: UserVerificationRequirement = .preferred, hints: [CredentialHint] = []
    ) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.timeout = timeout
        self.allowed = allowed
        self.userVerification = userVerification
        self.hints = hints
    }

    package var json: JSONObject {
        var object: JSONObject = [
            "challenge": .string(challenge.text), "rpId": .string(relyingParty.id.text),
            "allowCredentials": .array(allowed.map(\.json)),
            "userVerification": .string(userVerification.rawValue),
        ]
        object.add(hints: hints, timeout: timeout)
        return object
    }
}
