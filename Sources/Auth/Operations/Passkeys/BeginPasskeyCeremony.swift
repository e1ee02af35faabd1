package import AuthDomain
internal import AuthRecords
internal import Cryptography
package import JSON
internal import KeyValueStore
internal import Time
internal import WebAuthn

/// Begins a ceremony of WebAuthn: a challenge that is valid once, and the options for the client.
package struct BeginPasskeyCeremony: Sendable {
    let auth: AuthServices

    package enum Purpose: Sendable {
        /// The passkey is for a new account, and its only sign-in method.
        case signUp(email: EmailAddress?, name: String?)
        /// A sign-in with any passkey. The options do not reveal who has a passkey (WebAuthn
        /// section 14.6.3).
        case signIn
        /// A further passkey of the signed-in user. A conditional passkey is created without asking
        /// the user.
        case add(isConditional: Bool)
        /// A passkey instead of a code completes the sign-in of a ticket.
        case secondFactor(ticket: String)
        /// A signed-in user proves the identity again.
        case stepUp
    }

    package struct Output: Sendable {
        /// The secret is only for the request with the authenticator's answer.
        package let ceremony: String
        package let options: JSONObject
    }

    package func callAsFunction(
        _ purpose: Purpose, _ caller: Caller
    ) throws(AuthError) -> Output {
        switch purpose {
        case .signUp(let email, let name): try signUp(email, name, caller)
        case .signIn: try signIn(caller)
        case .add(let isConditional): try add(isConditional: isConditional, caller)
        case .secondFactor(let ticket): try secondFactor(ticket, caller)
        case .stepUp: try stepUp(caller)
        }
    }

    private func signUp(
        _ email: EmailAddress?, _ name: String?, _ caller: Caller
    ) throws(AuthError) -> Output {
        try auth.open(.passkeyOptions, counting: [(.address, caller.address)]).admit()
        var ceremony = PasskeyCeremony(.signUp, random: auth.random)
        let handle = auth.random.bytes(UserHandle.newByteCount)
        ceremony.user = UserID(random: auth.random)
        ceremony.userHandle = handle
        ceremony.email = email
        ceremony.displayName = name.flatMap(PersonName.cleaned)
        return try begin(
            ceremony, try creation(ceremony, handle, name: email?.text, excluded: []))
    }

    private func signIn(_ caller: Caller) throws(AuthError) -> Output {
        try auth.open(.passkeyOptions, counting: [(.address, caller.address)]).admit()
        let ceremony = PasskeyCeremony(.signIn, random: auth.random)
        return try begin(ceremony, try request(ceremony, allowed: []))
    }

    private func add(isConditional: Bool, _ caller: Caller) throws(AuthError) -> Output {
        let (principal, _, page) = try auth.authenticate.open(
            caller, for: .passkeyOptions, reading: { _ in [] },
            listing: StoreLayout.passkeys(of:))
        let user = principal.user
        try auth.requireRecentSignIn(principal, at: auth.clock.now())
        let known = try auth.passkeys(page)
        guard known.count < (try auth.passkeyPolicy).countMax else { throw .passkey(.tooMany) }
        var ceremony = PasskeyCeremony(.add, random: auth.random)
        let handle = user.passkeyHandle ?? auth.random.bytes(UserHandle.newByteCount)
        ceremony.user = user.id
        ceremony.userHandle = handle
        ceremony.epoch = user.epoch
        ceremony.displayName = user.displayName
        ceremony.isConditional = isConditional
        return try begin(
            ceremony,
            try creation(
                ceremony, handle, name: user.email ?? user.login,
                excluded: known.map(\.passkey.descriptor)))
    }

    private func secondFactor(_ ticket: String, _ caller: Caller) throws(AuthError) -> Output {
        let link = AccountLink(parsing: ticket)
        let opening = try auth.open(
            .passkeyOptions, counting: [(.address, caller.address)],
            reading: link.map { [$0.key(.secondFactor), StoreLayout.profile($0.user)] } ?? [],
            listing: link.map { StoreLayout.passkeys(of: $0.user) })
        try opening.admit()
        guard let link, let row = opening.items[link.key(.secondFactor)],
            let user = try opening.items.user(link.user)
        else { throw .secondFactor(.ticketInvalid) }
        let pending = try decoded(PendingSignIn(row))
        guard user.deletedAt == nil, pending.epoch == user.epoch else {
            throw .secondFactor(.ticketInvalid)
        }
        let known = try auth.passkeys(opening.page)
        guard !known.isEmpty, pending.passkey == nil else { throw .passkey(.notFound) }
        var ceremony = PasskeyCeremony(.secondFactor, random: auth.random)
        ceremony.user = user.id
        ceremony.epoch = user.epoch
        return try begin(
            ceremony, try request(ceremony, allowed: known.map(\.passkey.descriptor)))
    }

    private func stepUp(_ caller: Caller) throws(AuthError) -> Output {
        let (principal, _, page) = try auth.authenticate.open(
            caller, for: .passkeyOptions, reading: { _ in [] },
            listing: StoreLayout.passkeys(of:))
        let known = try auth.passkeys(page)
        guard !known.isEmpty else { throw .passkey(.notFound) }
        var ceremony = PasskeyCeremony(.stepUp, random: auth.random)
        ceremony.user = principal.user.id
        ceremony.epoch = principal.user.epoch
        return try begin(
            ceremony,
            try request(
                ceremony, allowed: known.map(\.passkey.descriptor), verification: .required))
    }

    private func begin(
        _ ceremony: PasskeyCeremony, _ options: JSONObject
    ) throws(AuthError) -> Output {
        let (text, secret) = CeremonySecret.make(random: auth.random)
        let expiresAt = auth.clock.now() + (try auth.passkeyPolicy).ceremonyLifetime
        // The write is unconditional: 256 random bits do not collide.
        try auth.store.write([.put(ceremony.item(secret, expiresAt: expiresAt), when: [])])
        return Output(ceremony: text, options: options)
    }

    private func creation(
        _ ceremony: PasskeyCeremony, _ handle: [UInt8], name: String?,
        excluded: [CredentialDescriptor]
    ) throws(AuthError) -> JSONObject {
        guard let userHandle = UserHandle(handle) else { throw .fault(.storedDataUnreadable) }
        let relyingParty = try auth.passkeys.relyingParty
        let name = name ?? ceremony.displayName ?? relyingParty.name
        return CreationOptions(
            relyingParty: relyingParty,
            user: CredentialUser(
                handle: userHandle, name: name, displayName: ceremony.displayName ?? name),
            challenge: ceremony.challenge, timeout: try timeout, excluded: excluded
        ).json
    }

    private func request(
        _ ceremony: PasskeyCeremony, allowed: [CredentialDescriptor],
        verification: UserVerificationRequirement = .preferred
    ) throws(AuthError) -> JSONObject {
        RequestOptions(
            relyingParty: try auth.passkeys.relyingParty, challenge: ceremony.challenge,
            timeout: try timeout, allowed: allowed, userVerification: verification
        ).json
    }

    private var timeout: Duration {
        get throws(AuthError) {
            .milliseconds(try auth.passkeyPolicy.ceremonyLifetime.milliseconds)
        }
    }
}

extension AuthServices {
    package var beginPasskeyCeremony: BeginPasskeyCeremony { BeginPasskeyCeremony(auth: self) }
}

extension AuthOperation {
    package static let passkeyOptions = AuthOperation(
        "passkeyOptions", servedBy: "passkey-options")
}
