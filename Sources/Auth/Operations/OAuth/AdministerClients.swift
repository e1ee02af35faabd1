package import AuthDomain
internal import AuthRecords
internal import Bytes
package import JSON
internal import KeyValueStore
package import Time

/// A client as administrators see it.
package struct ListedClient: Sendable {
    package enum Source: String, Sendable {
        /// `OAUTH_CLIENTS`.
        case settings
        case administrator
        /// It has registered itself.
        case registration
    }

    package let id: String
    package let description: Description
    package let source: Source
    package let registeredAt: Instant?
    package let disabledAt: Instant?

    package enum Description: Sendable {
        case client(Client)
        /// What was registered, which the settings of now exclude: it is answered as if it were
        /// not known.
        case excluded(JSONObject, ClientMetadata.Problem)
    }

    package var name: String {
        switch description {
        case .client(let client): client.name
        case .excluded(let members, _): members["client_name"]?.stringValue ?? id
        }
    }

    /// - Parameter client: one of the settings.
    fileprivate init(configured client: Client) {
        (id, description, source) = (client.id, .client(client), .settings)
        (registeredAt, disabledAt) = (nil, nil)
    }

    fileprivate init(_ record: ClientRecord, _ oauth: OAuthServices) {
        id = record.id
        do throws(ClientMetadata.Problem) {
            description = .client(try record.client(oauth))
        } catch {
            description = .excluded(record.members ?? [:], error)
        }
        source = record.addedBy == nil ? .registration : .administrator
        (registeredAt, disabledAt) = (record.registeredAt, record.disabledAt)
    }
}

package struct ClientPage: Sendable {
    package let clients: [ListedClient]
    /// Set if there may be more.
    package let next: String?
}

/// The clients of the provider, for administrators. Those of the settings are listed, and changed
/// where they are.
package struct AdministerClients: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50

    package enum Change: String, CaseIterable, Sendable {
        /// Nothing is accepted from the client any more, and its tokens are not alive.
        case disable
        case enable
        /// Forgets it. What users have granted it is of no use any more.
        case delete
    }

    let auth: AuthServices

    /// Those of the settings first, then those in the store, the latest first.
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
        let rows = try auth.store.get(ids.map(StoreLayout.client))
        var clients: [ListedClient] = []
        if query.after == nil {
            clients = oauth.configuredClients.map(ListedClient.init(configured:))
        }
        for id in ids {
            guard let row = rows[StoreLayout.client(id)],
                row.expiresAt.map({ auth.clock.now() < $0 }) ?? true
            else { continue }
            clients.append(ListedClient(try decoded(ClientRecord(row)), oauth))
        }
        return ClientPage(clients: clients, next: page.next)
    }

    package func find(_ id: String) throws(AuthError) -> ListedClient {
        let oauth = try auth.oauth
        if let client = oauth.client(id) { return ListedClient(configured: client) }
        guard let (record, _) = try auth.storedClient(id) else { throw .oauth(.clientNotFound) }
        return ListedClient(record, oauth)
    }

    /// - Returns: what was registered, with the secret of a client that has one.
    package func add(
        _ description: JSONObject, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) -> JSON {
        let oauth = try auth.oauth
        let id = ClientID.new(auth.random)
        let hasSecret: Bool
        do throws(ClientMetadata.Problem) {
            for name in ["client_id", "client_secret"] where description[name] != nil {
                throw ClientMetadata.Problem(member: name, rule: "is made here")
            }
            let metadata = ClientMetadata(description)
            hasSecret = try metadata.needsSecret()
            let client = try metadata.trusted(
                as: id, secret: hasSecret ? [] : nil, signingIDTokensWith: oauth.idTokenAlgorithms)
            if client.requiresProof, auth.policy.proofs?.mode ?? .off == .off {
                throw ClientMetadata.Problem(
                    member: client.isFAPI2 ? "profile" : "dpop_bound_access_tokens",
                    rule: "needs DPOP=optional or required")
            }
            for (member, resources) in [
                ("allowed_resources", client.resources ?? []),
                ("resource", [client.introspects].compactMap(\.self)),
            ] where !resources.allSatisfy({ oauth.resource($0) != nil }) {
                throw ClientMetadata.Problem(member: member, rule: "must be in OAUTH_RESOURCES")
            }
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
    package func change(
        _ id: String, _ change: Change, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) {
        let oauth = try auth.oauth
        guard oauth.client(id) == nil else { throw .oauth(.configuredClient) }
        let chain = AuditChain.administration
        for _ in auth.attempts {
            guard let (record, row) = try auth.storedClient(id) else {
                throw .oauth(.clientNotFound)
            }
            let items = try auth.store.get([chain.headKey] + administrator.keys)
            let checks = try auth.checks(of: administrator, items)
            let now = auth.clock.now()
            let writes: [Write]
            switch change {
            case .disable, .enable:
                guard (record.disabledAt == nil) == (change == .disable) else { return }
                var changed = record
                changed.disabledAt = change == .disable ? now : nil
                writes = [
                    .put(changed.item(expiresAt: row.expiresAt), when: record.unchanged)
                ]
            case .delete: writes = record.ending
            }
            var audit = try auth.audit(chain, items)
            audit.record(
                .clientChanged, caller, detail: "\(id) \(change.rawValue)",
                by: administrator.name, because: reason, at: now)
            if try auth.commit(writes + checks, &audit) { return }
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var administerClients: AdministerClients { AdministerClients(auth: self) }
}

extension AuthOperation {
    package static let listClients = administration("listClients")
    package static let addClient = administration("addClient")
    package static let disableClient = administration("disableClient")
    package static let enableClient = administration("enableClient")
    package static let deleteClient = administration("deleteClient")
}
