package import AuthDomain
internal import AuthRecords
internal import Bytes
package import JSON
internal import KeyValueStore
package import Time

/// A client as administrators see it.
package struct ListedClient: Sendable {
    package enum Source: String, Sendable {
        /// A client in `OAUTH_CLIENTS`.
        case settings
        case administrator
        /// The client has registered itself.
        case registration
    }

    package let id: String
    package let description: Description
    package let source: Source
    package let registeredAt: Instant?
    package let disabledAt: Instant?
    /// The time until which the former secret is valid.
    package let formerSecretEndsAt: Instant?
    package let grantsEndedAt: Instant?

    package enum Description: Sendable {
        case client(Client)
        /// The stored description, which the present settings exclude, so that the client counts as
        /// unknown.
        case excluded(JSONObject, ClientMetadata.Problem)
    }

    package var name: String {
        switch description {
        case .client(let client): client.name
        case .excluded(let members, _): members["client_name"]?.stringValue ?? id
        }
    }

    /// - Parameters:
    ///   - client: a client in the settings.
    ///   - epoch: the row with the client's epoch.
    fileprivate init(configured client: Client, _ epoch: Item?) throws(AuthError) {
        (id, description, source) = (client.id, .client(client), .settings)
        (registeredAt, disabledAt, formerSecretEndsAt) = (nil, nil, nil)
        let ended = try decoded(ClientEpoch.of(epoch))
        grantsEndedAt = ended == 0 ? nil : Instant(milliseconds: ended)
    }

    fileprivate init(_ record: ClientRecord, _ oauth: OAuthServices, at now: Instant) {
        id = record.id
        do throws(ClientMetadata.Problem) {
            description = .client(try record.client(oauth))
        } catch {
            description = .excluded(record.members ?? [:], error)
        }
        source = record.addedBy == nil ? .registration : .administrator
        (registeredAt, disabledAt) = (record.registeredAt, record.disabledAt)
        formerSecretEndsAt = record.formerSecret.flatMap { $0.endsAt > now ? $0.endsAt : nil }
        // A client that replaces a deleted one has an epoch from the beginning. Only a later epoch
        // means that its grants were ended.
        grantsEndedAt =
            record.epoch > record.registeredAt.milliseconds
            ? Instant(milliseconds: record.epoch) : nil
    }
}

package struct ClientPage: Sendable {
    package let clients: [ListedClient]
    /// The position of the next page. Set if there may be more.
    package let next: String?
}

/// The clients of the provider, for administrators. Clients in the settings are listed, but can
/// only be changed there.
package struct AdministerClients: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50

    package enum Change: String, CaseIterable, Sendable {
        /// Nothing is accepted from the client any more, and its tokens are not valid.
        case disable
        case enable
        /// The former secret is no longer valid.
        case endFormerSecret = "end-former-secret"
        /// All present grants to the client end. Users can give new grants.
        case endGrants = "end-grants"
        /// The client is removed, and all its grants end.
        case delete
    }

    /// What happens to a secret that is replaced.
    package enum FormerSecret: String, CaseIterable, Sendable {
        /// The former secret is valid for a while, so that the client's servers can be given the
        /// new one.
        case kept
        case ended
    }

    let auth: AuthServices

    /// Lists the clients in the settings first, then those in the store, the latest first.
    ///
    /// - Parameter after: `next` of the previous page. An invalid position starts at the first
    ///   page.
    package func list(limit: Int64, after: String?) throws(AuthError) -> ClientPage {
        let oauth = try auth.oauth
        var query = PartitionQuery(
            StoreLayout.clientListPartition, limit: Int(min(max(limit, 1), Self.pageMax)))
        query.after = after.flatMap { StoreLayout.listedClient($0) == nil ? nil : $0 }
        let page = try auth.store.query(query)
        let ids = page.items.compactMap { StoreLayout.listedClient($0.key.sort) }
        let configured = query.after == nil ? oauth.configuredClients : []
        let rows = try auth.store.get(
            ids.map(StoreLayout.client) + configured.map { StoreLayout.clientEpoch($0.id) })
        var clients = try configured.map { client throws(AuthError) in
            try ListedClient(configured: client, rows[StoreLayout.clientEpoch(client.id)])
        }
        let now = auth.clock.now()
        for id in ids {
            guard let row = rows[StoreLayout.client(id)],
                row.expiresAt.map({ now < $0 }) ?? true
            else { continue }
            clients.append(ListedClient(try decoded(ClientRecord(row)), oauth, at: now))
        }
        return ClientPage(clients: clients, next: page.next)
    }

    package func find(_ id: String) throws(AuthError) -> ListedClient {
        let oauth = try auth.oauth
        if let client = oauth.client(id) {
            return try ListedClient(
                configured: client, try auth.store.get(StoreLayout.clientEpoch(id)))
        }
        guard let (record, _) = try auth.storedClient(id) else { throw .oauth(.clientNotFound) }
        return ListedClient(record, oauth, at: auth.clock.now())
    }

    /// - Returns: the registered client, with its secret if it has one.
    package func add(
        _ description: JSONObject, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) -> JSON {
        let oauth = try auth.oauth
        let id = ClientID.new(auth.random)
        let hasSecret: Bool
        do throws(ClientMetadata.Problem) {
            for name in ["client_id", "client_secret"] where description[name] != nil {
                throw ClientMetadata.Problem(member: name, rule: "is made by the server")
            }
            let metadata = ClientMetadata(description)
            hasSecret = try metadata.needsSecret()
            try auth.check(metadata, as: id, hasSecret: hasSecret, oauth)
        } catch {
            throw .oauth(.unacceptable(error))
        }
        let client = NewClient(
            description, id: id, hasSecret: hasSecret, addedBy: administrator.name, auth)
        let chain = AuditChain.administration
        let items = try auth.store.get([chain.headKey] + administrator.keys)
        let checks = try auth.checks(of: administrator, items)
        var audit = try auth.audit(chain, items)
        audit.record(
            .clientRegistered, caller, detail: id, by: administrator.name, because: reason,
            at: client.record.registeredAt)
        guard try auth.commit(client.record.beginning(expiresAt: nil) + checks, &audit) else {
            throw .unavailable(.contention)
        }
        return client.answer
    }

    /// Succeeds also if there is nothing to change.
    ///
    /// - Parameter id: for `.endGrants` also `GrantedApplication.id`.
    package func change(
        _ id: String, _ change: Change, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) {
        let id = change == .endGrants ? try auth.clientID(of: id) : id
        if change == .endGrants, let key = try auth.epochKeyElsewhere(id) {
            return try endGrants(of: id, key, because: reason, by: administrator, caller)
        }
        try self.change(
            id, "\(id) \(change.rawValue)", because: reason, by: administrator, caller
        ) { record, row, now in
            let next: ClientRecord
            switch change {
            case .disable, .enable:
                guard (record.disabledAt == nil) == (change == .disable) else { return nil }
                next = record.disabled(at: change == .disable ? now : nil)
            case .endFormerSecret:
                guard record.formerSecret != nil else { return nil }
                next = record.endingFormerSecret()
            case .endGrants:
                next = record.endingGrants(at: max(now.milliseconds, record.epoch + 1))
            case .delete: return record.ending
            }
            return [.put(next.item(expiresAt: row.expiresAt), when: record.unchanged)]
        }
    }

    /// Gives a client another secret.
    ///
    /// - Returns: the secret, which is not shown again.
    package func replaceSecret(
        of id: String, _ former: FormerSecret, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> JSON {
        let secret = ClientSecret(auth.random)
        let lifetime = try auth.oauthPolicy.formerSecretLifetime
        var answer: JSONObject = [
            "client_id": .string(id), "client_secret": .string(secret.text),
            "client_secret_expires_at": 0,
        ]
        try change(
            id, "\(id) secret, former \(former.rawValue)", because: reason, by: administrator,
            caller
        ) { record, row, now throws(AuthError) in
            guard record.secretHash != nil else {
                throw .oauth(
                    .unacceptable(
                        ClientMetadata.Problem(
                            member: "token_endpoint_auth_method", rule: "has no secret")))
            }
            let end = former == .kept ? now + lifetime : nil
            answer["formerSecretEndsAt"] = end.map { .string($0.iso8601Milliseconds) }
            let next = record.replacingSecret(by: secret.hash, formerUntil: end)
            return [.put(next.item(expiresAt: row.expiresAt), when: record.unchanged)]
        }
        return .object(answer)
    }

    /// - Parameter writes: the writes of the change; nil if there is nothing to change.
    private func change(
        _ id: String, _ detail: String, because reason: String?,
        by administrator: Administrator, _ caller: Caller,
        _ writes: (ClientRecord, Item, Instant) throws(AuthError) -> [Write]?
    ) throws(AuthError) {
        guard try auth.oauth.client(id) == nil else { throw .oauth(.configuredClient) }
        let chain = AuditChain.administration
        for _ in auth.attempts {
            guard let (record, row) = try auth.storedClient(id) else {
                throw .oauth(.clientNotFound)
            }
            let items = try auth.store.get([chain.headKey] + administrator.keys)
            let checks = try auth.checks(of: administrator, items)
            let now = auth.clock.now()
            guard let changes = try writes(record, row, now) else { return }
            var audit = try auth.audit(chain, items)
            audit.record(
                .clientChanged, caller, detail: detail, by: administrator.name, because: reason,
                at: now)
            if try auth.commit(changes + checks, &audit) { return }
        }
        throw .unavailable(.contention)
    }

    /// Ends the grants of a client that is described in the settings, or at a URL.
    ///
    /// - Parameter key: the key of the row with the client's epoch.
    private func endGrants(
        of id: String, _ key: ItemKey, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) {
        let chain = AuditChain.administration
        for _ in auth.attempts {
            let items = try auth.store.get([chain.headKey, key] + administrator.keys)
            let checks = try auth.checks(of: administrator, items)
            let (former, now) = (try decoded(ClientEpoch.of(items[key])), auth.clock.now())
            let row = ClientEpoch.item(max(now.milliseconds, former + 1), of: id)
            var audit = try auth.audit(chain, items)
            audit.record(
                .clientChanged, caller, detail: "\(id) \(Change.endGrants.rawValue)",
                by: administrator.name, because: reason, at: now)
            let writes = [Write.put(row, when: ClientEpoch.unchanged(former))] + checks
            if try auth.commit(writes, &audit) { return }
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    /// Throws for a client that cannot be used with the present settings.
    func check(
        _ metadata: ClientMetadata, as id: String, hasSecret: Bool, _ oauth: OAuthServices
    ) throws(ClientMetadata.Problem) {
        let client = try metadata.trusted(
            as: id, secret: hasSecret ? [] : nil, signingIDTokensWith: oauth.idTokenAlgorithms)
        if client.requiresProof, policy.proofs?.mode ?? .off == .off {
            throw ClientMetadata.Problem(
                member: client.isFAPI2 ? "profile" : "dpop_bound_access_tokens",
                rule: ClientMetadata.Problem.Rule.proofs)
        }
        for (member, resources) in [
            ("allowed_resources", client.resources ?? []),
            ("resource", [client.introspects].compactMap(\.self)),
        ] where !resources.allSatisfy({ oauth.resource($0) != nil }) {
            throw ClientMetadata.Problem(
                member: member, rule: ClientMetadata.Problem.Rule.resource)
        }
        if let problem = ClientMetadata.Problem(
            unknownScopeOf: client, definedBy: oauth.resources)
        {
            throw problem
        }
    }

    package var administerClients: AdministerClients { AdministerClients(auth: self) }
}

extension AuthOperation {
    package static let listClients = administration("listClients")
    package static let addClient = administration("addClient")
    package static let disableClient = administration("disableClient")
    package static let enableClient = administration("enableClient")
    package static let replaceClientSecret = administration("replaceClientSecret")
    package static let endFormerClientSecret = administration("endFormerClientSecret")
    package static let endClientGrants = administration("endClientGrants")
    package static let deleteClient = administration("deleteClient")
}
