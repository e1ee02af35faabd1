internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JSON
internal import KeyValueStore
internal import Time

/// The IDs of the clients in the store, which we make.
enum ClientID {
    private static let prefix = "lkc_"
    private static let count = 16

    static func new(_ random: RandomSource) -> String {
        prefix + Base32.encode(random.bytes(count)).asciiLowercased
    }

    static func isOurs(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count <= 64
    }
}

/// A client that is registered now, and the only answer that has its secret (RFC 7591 section
/// 3.2.1).
struct NewClient {
    let record: ClientRecord
    let answer: JSON

    private static let secretBytes = 32

    /// - Parameter members: its description, as it was accepted.
    init(
        _ members: JSONObject, id: String, hasSecret: Bool, addedBy: String?, _ auth: AuthServices
    ) {
        let secret = hasSecret ? Base64URL.encode(auth.random.bytes(Self.secretBytes)) : nil
        record = ClientRecord(
            id: id, metadata: members.serialized,
            secretHash: secret.map { SHA256.hash(Array($0.utf8)) },
            registeredAt: auth.clock.now(), addedBy: addedBy)
        var answer = members
        answer["client_id"] = .string(id)
        answer["client_id_issued_at"] = .number(record.registeredAt.seconds)
        if let secret {
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = 0
        }
        self.answer = .object(answer)
    }
}

extension ClientRecord {
    func beginning(expiresAt: Instant?) -> [Write] {
        [
            .put(item(expiresAt: expiresAt), when: [.absent]),
            .put(listing(expiresAt: expiresAt), when: []),
        ]
    }

    var ending: [Write] {
        [
            .delete(StoreLayout.client(id), when: [.present]),
            .delete(StoreLayout.clientListing(id, registeredAt: registeredAt), when: []),
        ]
    }

    func client(_ oauth: OAuthServices) throws(AuthError) -> Client {
        guard let members = (try? JSON.parse(metadata, limits: .request))?.objectValue
        else { throw .fault(.storedDataUnreadable) }
        let (metadata, algorithms) = (ClientMetadata(members), oauth.idTokenAlgorithms)
        do throws(ClientMetadata.Problem) {
            return addedBy == nil
                ? try metadata.registered(
                    as: id, secret: secretHash, signingIDTokensWith: algorithms)
                : try metadata.trusted(as: id, secret: secretHash, signingIDTokensWith: algorithms)
        } catch {
            throw .fault(.storedDataUnreadable)
        }
    }
}

extension AuthServices {
    /// The client of that ID: one of the settings, one in the store, or one that describes itself
    /// at the URL that is its ID. nil for one that is disabled.
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
        guard let (record, row) = try storedClient(id), isAccepted(record, oauth) else {
            return nil
        }
        var client = try record.client(oauth)
        client.keptUntil = row.expiresAt
        return client
    }

    /// Whether tokens of a client are alive. What a document says now does not matter.
    ///
    /// - Parameter items: with the client's, if its ID is one that we make.
    func accepts(_ id: String, _ items: ReadItems) throws(AuthError) -> Bool {
        let oauth = try oauth
        if oauth.client(id) != nil { return true }
        guard ClientID.isOurs(id) else { return oauth.documents?.accept(id) ?? false }
        return try storedClient(id, items[StoreLayout.client(id)]).map {
            isAccepted($0.record, oauth)
        } ?? false
    }

    private func isAccepted(_ record: ClientRecord, _ oauth: OAuthServices) -> Bool {
        record.disabledAt == nil && (record.addedBy != nil || oauth.registration != .off)
    }

    /// Also one that is disabled.
    func storedClient(_ id: String) throws(AuthError) -> (record: ClientRecord, row: Item)? {
        guard ClientID.isOurs(id) else { return nil }
        return try storedClient(id, store.get(StoreLayout.client(id)))
    }

    private func storedClient(
        _ id: String, _ row: Item?
    ) throws(AuthError) -> (record: ClientRecord, row: Item)? {
        guard let row, row.expiresAt.map({ clock.now() < $0 }) ?? true else { return nil }
        let record = try decoded(ClientRecord(row))
        guard record.id.isSame(as: id) else { throw .fault(.storedDataUnreadable) }
        return (record, row)
    }

    /// Keeps a client that has registered itself while it is used. Once a day is enough.
    func keeping(_ client: Client, at now: Instant) throws(AuthError) -> [Write] {
        let end = now + (try oauthPolicy).registrationLifetime
        guard client.isSelfRegistered, let keptUntil = client.keptUntil,
            keptUntil + .days(1) <= end, let record = try storedClient(client.id)?.record
        else { return [] }
        return [
            .put(record.item(expiresAt: end), when: record.unchanged),
            .put(record.listing(expiresAt: end), when: []),
        ]
    }
}
