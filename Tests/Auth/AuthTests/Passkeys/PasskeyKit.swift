import WebAuthnTestSupport

// Accounts with passkeys, for tests: an authenticator and its client are one value.
extension Policy {
    static func passkeys(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
        .passwords(.immediate).with {
            $0.passkeys = PasskeyPolicy()
            change(&$0)
        }
    }
}

/// A ceremony that has begun, as its client sees it.
struct BegunCeremony {
    let secret: String
    let challenge: WebAuthn.Challenge
    let options: JSONObject

    /// The user handle in the options to create a credential.
    var userHandle: [UInt8]? {
        options["user"]?["id"]?.stringValue.flatMap { Base64URL.decode($0) }
    }
}

extension AuthKit {
    func begin(
        _ purpose: BeginPasskeyCeremony.Purpose = .signIn, _ caller: Caller = Caller()
    ) throws -> BegunCeremony {
        let begun = try auth.beginPasskeyCeremony(purpose, caller)
        guard let text = begun.options["challenge"]?.stringValue,
            let challenge = Base64URL.decode(text).flatMap({ WebAuthn.Challenge($0) })
        else { throw KitFailure.noSession }
        return BegunCeremony(secret: begun.ceremony, challenge: challenge, options: begun.options)
    }

    /// A new account with a passkey alone.
    func signUp(
        with passkey: inout SoftwareAuthenticator, email: String? = nil, name: String? = nil,
        _ caller: Caller = Caller()
    ) throws -> SessionTokens {
        let begun = try begin(.signUp(email: try email.map { try self.email($0) }, name: name))
        passkey.userHandle = begun.userHandle
        let response = try passkey.registration(begun.challenge).response
        return try auth.signUpWithPasskey(
            SignUpWithPasskey.Input(ceremony: begun.secret, response), caller)
    }

    func signIn(
        with passkey: SoftwareAuthenticator, _ caller: Caller = Caller(),
        device: DeviceClaim = DeviceClaim(), change: (inout AssertionDraft) -> Void = { _ in }
    ) throws -> SignInResult {
        let begun = try begin()
        return try signIn(
            with: passkey, in: begun.secret, begun.challenge, caller, device: device,
            change: change)
    }

    /// Answers a ceremony that has begun.
    func signIn(
        with passkey: SoftwareAuthenticator, in ceremony: String, _ challenge: WebAuthn.Challenge,
        _ caller: Caller = Caller(), device: DeviceClaim = DeviceClaim(),
        change: (inout AssertionDraft) -> Void = { _ in }
    ) throws -> SignInResult {
        var draft = passkey.assertion(challenge)
        change(&draft)
        var input = SignInWithPasskey.Input(
            ceremony: ceremony, try draft.response(signedWith: passkey.key))
        input.device = device
        return try auth.signInWithPasskey(input, caller)
    }

    @discardableResult
    func add(
        _ passkey: inout SoftwareAuthenticator, name: String? = nil, isConditional: Bool = false,
        by tokens: SessionTokens
    ) throws -> PasskeyList {
        let begun = try begin(.add(isConditional: isConditional), caller(tokens))
        passkey.userHandle = begun.userHandle
        return try add(passkey, name: name, in: begun, by: tokens)
    }

    /// Answers a ceremony that has begun.
    @discardableResult
    func add(
        _ passkey: SoftwareAuthenticator, name: String? = nil, in begun: BegunCeremony,
        by tokens: SessionTokens
    ) throws -> PasskeyList {
        var input = AddPasskey.Input(
            ceremony: begun.secret, try passkey.registration(begun.challenge).response)
        input.name = name
        return try auth.addPasskey(input, caller(tokens))
    }

    /// A passkey as the second factor of a sign-in.
    func complete(_ ticket: String, with passkey: SoftwareAuthenticator) throws -> SessionTokens {
        let begun = try begin(.secondFactor(ticket: ticket))
        let response = try passkey.assertion(begun.challenge).response(signedWith: passkey.key)
        return try auth.completeSignInWithPasskey(
            ticket: ticket, ceremony: begun.secret, response, Caller())
    }

    func passkeys(_ tokens: SessionTokens) throws -> [PasskeyList.Entry] {
        try auth.listPasskeys(caller(tokens)).entries
    }

    /// The failed attempts with an account: their details.
    func refusals(of user: UserID) throws -> [String?] {
        try auditItems(in: .attempts(on: user)).map { try AuditRecord($0).entry }
            .filter { $0.event == "passkeyRefused" }.map(\.detail)
    }
}

extension SoftwareAuthenticator {
    /// In routes, in the store and as the subject of its identity.
    var identity: LinkedIdentity {
        get throws {
            guard let id = CredentialID(credentialID),
                let relyingParty = RelyingPartyID(parsing: relyingPartyID)
            else { throw AuthKit.KitFailure.noSession }
            return .passkey(id, at: relyingParty)
        }
    }

    var id: String { get throws { try identity.subject } }

    /// The row that makes its credential ID the account's.
    var claim: ItemKey {
        get throws {
            let identity = try identity
            return StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        }
    }
}
