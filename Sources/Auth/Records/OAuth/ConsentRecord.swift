package import AuthDomain
package import KeyValueStore
package import Time

/// What a user has decided about a client, so that they are not asked again.
package struct ConsentRecord: Equatable, Sendable {
    package let client: String
    package let scope: [String]
    package let resources: [String]
    package let givenAt: Instant
    /// What was shown of a client that describes itself.
    package let description: [UInt8]?
    /// Whether it is good for later requests, and not for that of one device alone.
    package let isRemembered: Bool
    /// That of the client (`ClientGrant.clientEpoch`).
    package let clientEpoch: Int64

    package init(
        client: String, scope: [String], resources: [String], givenAt: Instant,
        description: [UInt8]?, isRemembered: Bool = true, clientEpoch: Int64
    ) {
        self.clientEpoch = clientEpoch
        self.isRemembered = isRemembered
        self.description = description
        self.client = client
        self.scope = scope
        self.resources = resources
        self.givenAt = givenAt
    }

    /// Whether nothing is asked for that was not granted before, for later requests too.
    package func covers(scope asked: [String], resources wanted: [String]) -> Bool {
        isRemembered && Set(asked).isSubset(of: scope) && Set(wanted).isSubset(of: resources)
    }

    /// With what was granted before.
    package func adding(_ former: ConsentRecord?) -> ConsentRecord {
        guard let former, isRemembered, former.isRemembered, former.clientEpoch == clientEpoch
        else { return self }
        return ConsentRecord(
            client: client, scope: former.scope + scope.filter { !former.scope.contains($0) },
            resources: former.resources + resources.filter { !former.resources.contains($0) },
            givenAt: former.givenAt, description: description, clientEpoch: clientEpoch)
    }

    package func item(of user: UserID, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "client": .text(client), "scope": .text(Words.text(scope)),
            "resources": .text(Words.text(resources)),
        ]
        attributes.set("givenAt", givenAt)
        if let description { attributes["description"] = .bytes(description) }
        if !isRemembered { attributes["once"] = .flag(true) }
        ClientEpoch.set(clientEpoch, in: &attributes)
        return Item(
            StoreLayout.consent(to: client, of: user), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            client: try read.text("client"), scope: Words.list(try read.text("scope")),
            resources: Words.list(try read.text("resources")),
            givenAt: try read.instant("givenAt"),
            description: try read.optionalBytes("description"),
            isRemembered: !(try read.optionalFlag("once") ?? false),
            clientEpoch: try ClientEpoch.read(read))
    }
}
