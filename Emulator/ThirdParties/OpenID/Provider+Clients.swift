internal import Bytes
internal import JSON
internal import Synchronization

extension Provider {
    private static let clientsMax = 256

    /// A client: registered at run time, configured, or accepted without registration.
    func client(_ id: String) throws(OAuthError) -> ClientDefinition? {
        guard ClientDefinition.isID(id) else { return nil }
        if let registered = try registered(id) { return registered }
        if let configured = definition.clients.first(where: { $0.id.isSame(as: id) }) {
            return configured
        }
        return definition.acceptsUnknownClients ? ClientDefinition(id: id) : nil
    }

    /// The default audience of minted tokens.
    func defaultClientID() throws(OAuthError) -> String {
        let accepted = audiences.withLock { $0 }
        if let first = definition.clients.first,
            accepted.isEmpty || accepted.contains(where: { $0.isSame(as: first.id) })
        {
            return first.id
        }
        if let first = accepted.first { return first }
        if let first = try clients().first { return first.id }
        return "\(name)-client"
    }

    private func registered(_ id: String) throws(OAuthError) -> ClientDefinition? {
        let key = Records.key(name, id)
        let record = try store.read { records throws(OAuthError) in try records.get(.client, key) }
        return record.flatMap { try? ClientDefinition(.object($0)) }
    }

    /// Clients registered at run time, and configured ones that were not overridden.
    func clients() throws(OAuthError) -> [ClientDefinition] {
        let prefix = Records.prefix(name)
        let records = try store.read { records throws(OAuthError) in
            try records.list(.client, prefix, max: Self.clientsMax)
        }
        let registered = records.compactMap { try? ClientDefinition(.object($0)) }
        return definition.clients.filter { configured in
            !registered.contains { $0.id.isSame(as: configured.id) }
        } + registered
    }

    func register(_ client: ClientDefinition) throws(OAuthError) {
        let key = Records.key(name, client.id)
        let prefix = Records.prefix(name)
        try store.write(at: now) { records throws(OAuthError) in
            let isNew = try records.get(.client, key) == nil
            let count = isNew ? try records.count(.client, prefix) : 0
            guard count < Self.clientsMax else {
                throw .own(409, "Limit reached: \(Self.clientsMax) clients.")
            }
            try records.put(.client, key, client.json.objectValue ?? [:])
        }
    }

    func unregister(_ id: String) throws(OAuthError) {
        let key = Records.key(name, id)
        try store.write(at: now) { records throws(OAuthError) in try records.remove(.client, key) }
    }
}
