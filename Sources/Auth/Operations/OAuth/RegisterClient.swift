package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
package import JSON
internal import KeyValueStore
internal import Time

/// Registers a client by its own description (RFC 7591). The client gets only the rights of an
/// unknown client: no privileges of the operator's clients, and no silent consent.
package struct RegisterClient: Sendable {
    let auth: AuthServices

    /// - Returns: the registered client, with its secret if it has one.
    package func callAsFunction(
        _ description: JSONObject, _ caller: Caller
    ) throws(AuthError) -> JSON {
        let oauth = try auth.oauth
        try admit(caller, oauth.registration)
        let opening = try auth.open(
            .registerClient, counting: [(.address, caller.address), (.overall, "")])
        try opening.admit()
        let id = ClientID.new(auth.random)
        let registration: ClientMetadata.Registration
        do throws(ClientMetadata.Problem) {
            registration = try ClientMetadata(description).registration(
                as: id, signingIDTokensWith: oauth.idTokenAlgorithms)
        } catch {
            throw .oauth(.unacceptable(error))
        }
        // The response contains the scopes that the client may ask for.
        var members = registration.members
        members["scope"] = .string(oauth.scope(named: members["scope"]?.stringValue))
        let client = NewClient(
            members, id: id, hasSecret: registration.needsSecret, addedBy: nil, auth)
        let end = client.record.registeredAt + (try auth.oauthPolicy).registrationLifetime
        var audit = auth.networkAudit(caller)
        audit.record(.clientRegistered, caller, detail: id, at: client.record.registeredAt)
        guard try auth.commit(client.record.beginning(expiresAt: end), &audit) else {
            throw .unavailable(.contention)
        }
        return client.answer
    }

    /// Throws unless registration is open to anyone, or the request has the operator's token.
    private func admit(
        _ caller: Caller, _ registration: ClientRegistration
    ) throws(AuthError) {
        switch registration {
        case .off: throw .fault(.serviceNotConfigured)
        case .open: return
        case .byToken(let hash):
            guard case .token(let text) = caller.bearer,
                constantTimeEquals(SHA256.hash(Array(text.utf8)), hash)
            else { throw .accessToken(caller.bearer == .none ? .missing : .invalid) }
        }
    }
}

/// Who may register clients (`OAUTH_REGISTRATION`).
package enum ClientRegistration: Equatable, Sendable {
    case off, open
    /// Registration is only for holders of the token with this digest.
    case byToken(hash: [UInt8])
}

extension AuthServices {
    package var registerClient: RegisterClient { RegisterClient(auth: self) }
}

extension AuthOperation {
    package static let registerClient = AuthOperation(
        "registerClient", servedBy: "register-client", counting: [.address, .overall],
        audited: .others)
}
