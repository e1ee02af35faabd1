package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
package import JSON
internal import KeyValueStore
internal import Time

/// Registers a client by its own description (RFC 7591). It gets no more than a stranger may have:
/// nothing of the operator's own, and no silent consent.
package struct RegisterClient: Sendable {
    let auth: AuthServices

    private static let secretBytes = 32

    /// - Returns: what was registered, with the secret of a client that has one.
    package func callAsFunction(
        _ description: JSONObject, _ caller: Caller
    ) throws(AuthError) -> JSON {
        let oauth = try auth.oauth
        try admit(caller, oauth.registration)
        let opening = try auth.open(
            .registerClient, counting: [(.address, caller.address), (.overall, "")])
        try opening.admit()
        let id = RegisteredClients.newID(auth.random)
        let registration: ClientMetadata.Registration
        do throws(ClientMetadata.Problem) {
            registration = try ClientMetadata(description).registration(
                as: id, signingIDTokensWith: oauth.idTokenAlgorithms)
        } catch {
            throw .oauth(
                error.member == "redirect_uris" ? .invalidRedirectURI : .invalidClientMetadata)
        }
        // The words that it can ask for, which the answer says.
        var members = registration.members
        members["scope"] = .string(oauth.scope(named: members["scope"]?.stringValue))
        let now = auth.clock.now()
        let secret =
            registration.needsSecret ? Base64URL.encode(auth.random.bytes(Self.secretBytes)) : nil
        let record = ClientRecord(
            id: id, metadata: members.serialized,
            secretHash: secret.map { SHA256.hash(Array($0.utf8)) }, registeredAt: now)
        let row = record.item(expiresAt: now + (try auth.oauthPolicy).registrationLifetime)
        var audit = auth.networkAudit(caller)
        audit.record(.clientRegistered, caller, detail: id, at: now)
        guard try auth.commit([.put(row, when: [.absent])], &audit) else {
            throw .unavailable(.contention)
        }
        var answer = members
        answer["client_id"] = .string(id)
        answer["client_id_issued_at"] = .number(now.seconds)
        if let secret {
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = 0
        }
        return .object(answer)
    }

    /// Whoever may register: anyone, or who has the operator's token.
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
    /// With the token of this digest.
    case byToken(hash: [UInt8])
}

/// The clients in the store.
enum RegisteredClients {
    private static let prefix = "lkc_"
    private static let idBytes = 16

    static func newID(_ random: RandomSource) -> String {
        prefix + Base32.encode(random.bytes(idBytes)).asciiLowercased
    }

    static func isID(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count <= 64
    }
}

extension AuthServices {
    package var registerClient: RegisterClient { RegisterClient(auth: self) }

    /// The client of that ID: one of the operator's, one that has registered itself, or one that
    /// describes itself at the URL that is its ID.
    ///
    /// - Parameter caller: who is waiting for a page, for which such a description is fetched.
    package func client(
        _ id: String, for caller: Caller? = nil
    ) throws(AuthError) -> Client? {
        let oauth = try oauth
        if let configured = oauth.client(id) { return configured }
        if id.hasPrefix("https://") {
            return try oauth.documents.flatMap { documents throws(AuthError) in
                try documentClient(id, documents, caller)
            }
        }
        guard oauth.registration != .off, RegisteredClients.isID(id),
            let item = try store.get(StoreLayout.client(id)),
            item.expiresAt.map({ clock.now() < $0 }) ?? true
        else { return nil }
        let record = try decoded(ClientRecord(item))
        guard record.id.isSame(as: id),
            let members = (try? JSON.parse(record.metadata, limits: .request))?.objectValue,
            let client = try? ClientMetadata(members).registered(
                as: id, secret: record.secretHash, signingIDTokensWith: oauth.idTokenAlgorithms)
        else { throw .fault(.storedDataUnreadable) }
        return client
    }

    /// Keeps a client that has registered itself while it is used.
    func keeping(_ client: Client, at now: Instant) throws(AuthError) -> [Write] {
        guard RegisteredClients.isID(client.id),
            let item = try store.get(StoreLayout.client(client.id))
        else { return [] }
        var kept = item
        kept.expiresAt = now + (try oauthPolicy).registrationLifetime
        return [.put(kept, when: [.present])]
    }
}

extension AuthOperation {
    package static let registerClient = AuthOperation(
        "registerClient", servedBy: "register-client", counting: [.address, .overall],
        audited: .others)
}
