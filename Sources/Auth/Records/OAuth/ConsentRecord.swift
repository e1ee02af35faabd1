package import AuthDomain
package import KeyValueStore
package import Time

/// A user's decision about a client, so that the user is not asked again.
package struct ConsentRecord: Equatable, Sendable {
    package let client: String
    package let scope: [String]
    package let resources: [String]
    package let givenAt: Instant
    /// The digest of the self-described client's document that was shown.
    package let description: [UInt8]?
    /// Whether the decision is valid for later requests, and not only for the request of one
    /// device.
    package let isRemembered: Bool
    /// The client's epoch (`ClientGrant.clientEpoch`).
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

    /// Whether everything in the request was granted before, for later requests too.
    package func covers(scope asked: [String], resources wanted: [String]) -> Bool {
        isRemembered && Set(asked).isSubset(of: scope) && Set(wanted).isSubset(of: resources)
    }

    /// The consent with everything that was granted before. It keeps the time of the first
    /// decision, so that its place in the list of the client's users does not change.
    package func adding(_ former: ConsentRecord?) -> ConsentRecord {
        guard let former, former.clientEpoch == clientEpoch else { return self }
        let adds = isRemembered && former.isRemembered
        let (words, servers) = adds ? (former.scope, former.resources) : ([], [])
        return ConsentRecord(
            client: client, scope: words + scope.filter { !words.contains($0) },
            resources: servers + resources.filter { !servers.contains($0) },
            givenAt: former.givenAt, description: description, isRemembered: isRemembered,
            clientEpoch: clientEpoch)
    }

    /// The entry in the list of the client's users. It is only a hint: the list shows the consents
    /// themselves, so an outdated entry does no harm.
    package func listing(of user: UserID) -> ItemKey {
        StoreLayout.clientUser(user, of: client, since: givenAt)
    }

    /// The writes that list the user.
    ///
    /// - Parameter end: the end of the consent.
    package func listing(
        of user: UserID, replacing former: ConsentRecord?, expiresAt end: Instant
    ) -> [Write] {
        let key = listing(of: user)
        let row = Item(key, ["client": .text(client)], expiresAt: end + Self.listingPeriod)
        let old = former?.listing(of: user)
        return [.put(row, when: [])] + (old == key ? [] : old.map { [.delete($0, when: [])] } ?? [])
    }

    /// The writes that list the user of an extended consent. In most cases there is no write: the
    /// entry in the list is kept for one more period than the consent, and is renewed only when the
    /// end of the consent moves into another period.
    package func listing(
        of user: UserID, prolongedFrom former: Instant?, to end: Instant
    ) -> [Write] {
        func period(_ end: Instant) -> Int64 { end.milliseconds / Self.listingPeriod.milliseconds }
        guard former.map(period) != period(end) else { return [] }
        return listing(of: user, replacing: self, expiresAt: end)
    }

    private static let listingPeriod: Span = .days(30)

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
