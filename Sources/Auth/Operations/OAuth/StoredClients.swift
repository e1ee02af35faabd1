internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JSON
internal import KeyValueStore
internal import Time

/// The IDs that the server generates for clients in the store. Imported clients keep other IDs
/// (`ImportClient`).
enum ClientID {
    private static let prefix = "lkc_"
    private static let count = 16

    /// Whether the server may have generated the ID.
    static func isOne(_ text: String) -> Bool { text.hasPrefix(prefix) }

    static func new(_ random: RandomSource) -> String {
        prefix + Base32.encode(random.bytes(count)).asciiLowercased
    }
}

/// A newly registered client. Only this response contains its secret (RFC 7591 section 3.2.1).
struct NewClient {
    let record: ClientRecord
    let answer: JSON

    /// - Parameter members: the accepted description.
    init(
        _ members: JSONObject, id: String, hasSecret: Bool, addedBy: String?, _ auth: AuthServices
    ) {
        let secret = hasSecret ? ClientSecret(auth.random) : nil
        record = ClientRecord(
            id: id, metadata: members.serialized,
            secretHash: secret?.hash,
            registeredAt: auth.clock.now(), addedBy: addedBy)
        var answer = members
        answer["client_id"] = .string(id)
        answer["client_id_issued_at"] = .number(record.registeredAt.seconds)
        if let secret {
            answer["client_secret"] = .string(secret.text)
            answer["client_secret_expires_at"] = 0
        }
        self.answer = .object(answer)
    }
}

/// A secret that the server has generated.
struct ClientSecret {
    let text: String
    var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

    private static let bytes = 32

    init(_ random: RandomSource) { text = Base64URL.encode(random.bytes(Self.bytes)) }
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

    /// The registered members; nil if the stored text is not a JSON object.
    var members: JSONObject? { (try? JSON.parse(metadata, limits: .request))?.objectValue }

    /// Throws if the client cannot be used with the present settings, for example because
    /// `JWT_ALGORITHM` was changed since it was registered.
    func client(_ oauth: OAuthServices) throws(ClientMetadata.Problem) -> Client {
        guard let members else {
            throw ClientMetadata.Problem(
                member: "metadata", rule: ClientMetadata.Problem.Rule.stored)
        }
        let (metadata, algorithms) = (ClientMetadata(members), oauth.idTokenAlgorithms)
        return addedBy == nil
            ? try metadata.registered(
                as: id, secret: secretHash, signingIDTokensWith: algorithms)
            : try metadata.trusted(as: id, secret: secretHash, signingIDTokensWith: algorithms)
    }
}

extension AuthServices {
    /// The client with this ID: in the settings, in the store, or described by the document at the
    /// URL that is its ID. nil for a client that is disabled or that the settings exclude.
    ///
    /// - Parameter caller: the person who waits for a page, for whom a document is fetched.
    package func client(
        _ id: String, for caller: Caller? = nil
    ) throws(AuthError) -> Client? {
        try client(
            id, row: clientKey(id).flatMap { key throws(AuthError) in try store.get(key) },
            for: caller)
    }

    /// The key of the row that is needed to find a client; nil if the client is in the settings, or
    /// if no client can have the ID.
    func clientKey(_ id: String) throws(AuthError) -> ItemKey? {
        let oauth = try oauth
        if oauth.client(id) != nil { return nil }
        if oauth.mayStore(id) { return StoreLayout.client(id) }
        return oauth.documents?.accept(id) ?? false ? StoreLayout.clientDocument(id) : nil
    }

    /// - Parameter row: the row with the key `clientKey`.
    func client(
        _ id: String, row: Item?, for caller: Caller? = nil
    ) throws(AuthError) -> Client? {
        let oauth = try oauth
        if let configured = oauth.client(id) { return configured }
        if let documents = oauth.documents, documents.accept(id) {
            return try documentClient(id, documents, row, caller)
        }
        return try acceptedClient(id, row)
    }

    /// A client in the store that may be used.
    private func acceptedClient(_ id: String, _ row: Item?) throws(AuthError) -> Client? {
        let oauth = try oauth
        guard let (record, row) = try storedClient(id, row), record.disabledAt == nil,
            record.addedBy != nil || oauth.registration != .off
        else { return nil }
        do throws(ClientMetadata.Problem) {
            var client = try record.client(oauth)
            client.keptUntil = row.expiresAt
            client.formerSecret = record.formerSecret.map { ($0.hash, $0.endsAt) }
            return client
        } catch {
            oauth.report(.notUsable(id, error))
            return nil
        }
    }

    /// The client with this ID, unless a document describes it.
    ///
    /// - Parameter items: include the client's row, if it may be in the store.
    func describedClient(_ id: String, _ items: ReadItems) throws(AuthError) -> Client? {
        if let configured = try oauth.client(id) { return configured }
        return try oauth.mayStore(id)
            ? try acceptedClient(id, items[StoreLayout.client(id)]) : nil
    }

    /// The key of the row with a client's epoch (`ClientEpoch`): the client's own row, or a
    /// separate one if the client is in the settings or described by a document. nil if no client
    /// can have the ID.
    func clientEpochKey(_ id: String) throws(AuthError) -> ItemKey? {
        if let key = try epochKeyElsewhere(id) { return key }
        return try oauth.mayStore(id) ? StoreLayout.client(id) : nil
    }

    /// nil for a client with its own row.
    func epochKeyElsewhere(_ id: String) throws(AuthError) -> ItemKey? {
        let oauth = try oauth
        let isElsewhere = oauth.client(id) != nil || oauth.documents?.accept(id) ?? false
        return isElsewhere ? StoreLayout.clientEpoch(id) : nil
    }

    /// - Parameter items: include the row of `clientEpochKey`.
    func clientEpoch(_ id: String, _ items: ReadItems) throws(AuthError) -> Int64 {
        guard let key = try clientEpochKey(id) else { return 0 }
        return try decoded(ClientEpoch.of(items[key]))
    }

    /// Whether tokens of a grant are alive. The current document of the client does not matter.
    ///
    /// - Parameter items: include the row of `clientEpochKey`.
    func accepts(_ grant: ClientGrant, _ items: ReadItems) throws(AuthError) -> Bool {
        let id = grant.client
        guard let key = try clientEpochKey(id),
            try grant.clientEpoch == clientEpoch(id, items)
        else { return false }
        if try epochKeyElsewhere(id) != nil { return true }
        return try acceptedClient(id, items[key]) != nil
    }

    /// The client's ID from a path, which contains the ID itself or, for a URL,
    /// `GrantedApplication.id`.
    func clientID(of text: String) throws(AuthError) -> String {
        let oauth = try oauth
        guard StoreLayout.isApplicationID(text), oauth.client(text) == nil else { return text }
        if let client = oauth.configuredClients.first(where: {
            StoreLayout.applicationID($0.id).isSame(as: text)
        }) {
            return client.id
        }
        let document = StoreLayout.clientDocument(named: text)
        let stored = StoreLayout.clientRow(text)
        let read = try store.read(
            [document, stored],
            listing: PartitionQuery(StoreLayout.clientUsers(text), limit: 1))
        if let row = read.items[document] { return try decoded(ClientDocumentRecord(row)).url }
        if let row = read.items[stored] { return try decoded(ClientRecord(row)).id }
        // A document expires before the grants of its client, which also contain the ID.
        guard case .text(let id)? = read.page?.items.first?.attributes["client"] else {
            return text
        }
        return id
    }

    /// Also finds a disabled client.
    func storedClient(_ id: String) throws(AuthError) -> (record: ClientRecord, row: Item)? {
        guard try oauth.mayStore(id) else { return nil }
        return try storedClient(id, store.get(StoreLayout.client(id)))
    }

    func storedClient(
        _ id: String, _ row: Item?
    ) throws(AuthError) -> (record: ClientRecord, row: Item)? {
        guard try oauth.mayStore(id), let row, row.expiresAt.map({ clock.now() < $0 }) ?? true
        else { return nil }
        let record = try decoded(ClientRecord(row))
        guard record.id.isSame(as: id) else { throw .fault(.storedDataUnreadable) }
        return (record, row)
    }

    /// Extends the registration of a self-registered client while it is used, at most once a day.
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
