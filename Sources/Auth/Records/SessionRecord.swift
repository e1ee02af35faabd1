package import AuthDomain
package import KeyValueStore
internal import Time

/// `SessionFamily` as an item. A revoked family is one that is not there: deleting needs no
/// condition, so no concurrent writer can prevent it, and every later write of the family
/// requires the generation that it read (keycloak#51312).
package enum SessionRecord {
    package static func item(_ family: SessionFamily) -> Item {
        var attributes: [String: Attribute] = [
            "generation": .integer(family.generation),
            "seed": .bytes(family.seed),
            "currentHash": .bytes(family.currentHash),
            "epoch": .integer(family.epoch),
            "provider": .text(family.origin.provider),
        ]
        attributes.set("createdAt", family.createdAt)
        attributes.set("lastUsedAt", family.lastUsedAt)
        attributes.set("idleExpiresAt", family.idleExpiresAt)
        attributes.set("absoluteExpiresAt", family.absoluteExpiresAt)
        attributes.set("deviceName", family.origin.deviceName)
        attributes.set("deviceSystem", family.origin.deviceSystem)
        attributes.set("address", family.origin.address)
        attributes.set("userAgent", family.origin.userAgent)
        return Item(
            StoreLayout.session(family.id, of: family.user), attributes,
            expiresAt: family.expiresAt)
    }

    package static func family(
        _ item: Item, id: SessionID, user: UserID
    ) throws(StoreFailure) -> SessionFamily {
        let read = AttributeReader(item)
        return SessionFamily(
            id: id, user: user,
            generation: try read.integer("generation"),
            seed: try read.bytes("seed"),
            currentHash: try read.bytes("currentHash"),
            epoch: try read.integer("epoch"),
            createdAt: try read.instant("createdAt"),
            lastUsedAt: try read.instant("lastUsedAt"),
            idleExpiresAt: try read.instant("idleExpiresAt"),
            absoluteExpiresAt: try read.instant("absoluteExpiresAt"),
            origin: SessionOrigin(
                provider: try read.text("provider"),
                deviceName: try read.optionalText("deviceName"),
                deviceSystem: try read.optionalText("deviceSystem"),
                address: try read.optionalText("address"),
                userAgent: try read.optionalText("userAgent")))
    }

    /// The id of a session from the sort key of its item.
    package static func id(of item: Item) -> SessionID? {
        SessionID(parsing: String(item.key.sort.dropFirst(StoreLayout.sessionPrefix.count)))
    }
}

/// Which family and generation a refresh token belongs to: written once, never changed.
package struct RefreshTokenRecord: Equatable, Sendable {
    package let user: UserID
    package let family: SessionID
    package let generation: Int64

    /// The row that lets the current token of `family` be found by its hash. It stays for as long
    /// as the family can live: a thief who keeps a family alive must not outlast the row by which
    /// the owner's return gives the theft away.
    package static func item(current family: SessionFamily) -> Item {
        Item(
            StoreLayout.refreshToken(hash: family.currentHash),
            [
                "user": .text(family.user.text), "family": .text(family.id.text),
                "generation": .integer(family.generation),
            ], expiresAt: family.absoluteExpiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")),
            let family = SessionID(parsing: try read.text("family"))
        else { throw read.unreadable("family") }
        self.user = user
        self.family = family
        generation = try read.integer("generation")
    }
}
