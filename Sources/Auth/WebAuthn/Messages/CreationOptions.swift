package import JSON

/// An account as authenticators show it. None of these values is signed.
package struct CredentialUser: Sendable, Equatable {
    package let handle: UserHandle
    /// An e-mail address or a similar name, to tell accounts apart.
    package let name: String
    /// May be empty (WebAuthn section 5.4.3).
    package let displayName: String

    package init(handle: UserHandle, name: String, displayName: String) {
        self.handle = handle
        self.name = name
        self.displayName = displayName
    }
}

/// Options to create a credential: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn section
/// 5.1.8, for the client's `parseCreationOptionsFromJSON`.
package struct CreationOptions: Sendable, Equatable {
    package var relyingParty: RelyingParty
    package var user: CredentialUser
    package var challenge: Challenge
    /// The recommended range is 5 to 10 minutes (WebAuthn section 15.1). The challenge is valid for
    /// the same time on the server.
    package var timeout: Duration
    /// All credentials of the account, so that no authenticator gets a second one.
    package var excluded: [CredentialDescriptor]
    package var residentKey: ResidentKeyRequirement
    package var userVerification: UserVerificationRequirement
    package var attachment: AuthenticatorAttachment?
    package var hints: [CredentialHint]

    package init(
        relyingParty: RelyingParty, user: CredentialUser, challenge: Challenge,
        timeout: Duration = .seconds(300), excluded: [CredentialDescriptor] = [],
        residentKey: ResidentKeyRequirement = .required,
        userVerification: UserVerificationRequirement = .preferred,
        attachment: AuthenticatorAttachment? = nil, hints: [CredentialHint] = []
    ) {
        self.relyingParty = relyingParty
        self.user = user
        self.challenge = challenge
        self.timeout = timeout
        self.excluded = excluded
        self.residentKey = residentKey
        self.userVerification = userVerification
        self.attachment = attachment
        self.hints = hints
    }

    package var json: JSONObject {
        var selection: JSONObject = [
            "residentKey": .string(residentKey.rawValue),
            // Clients of Level 1 read this member (WebAuthn section 5.4.4).
            "requireResidentKey": .bool(residentKey == .required),
            "userVerification": .string(userVerification.rawValue),
        ]
        if let attachment { selection["authenticatorAttachment"] = .string(attachment.rawValue) }
        var object: JSONObject = [
            "rp": [
                "id": .string(relyingParty.id.text), "name": .string(relyingParty.name),
            ],
            "user": [
                "id": .string(user.handle.text), "name": .string(user.name),
                "displayName": .string(user.displayName),
            ],
            "challenge": .string(challenge.text),
            "pubKeyCredParams": .array(
                relyingParty.algorithms.map {
                    ["type": "public-key", "alg": .number($0.rawValue)]
                }),
            "excludeCredentials": .array(excluded.map(\.json)),
            "authenticatorSelection": .object(selection),
            "attestation": "none",
            "extensions": ["credProps": true],
        ]
        object.add(hints: hints, timeout: timeout)
        return object
    }
}
