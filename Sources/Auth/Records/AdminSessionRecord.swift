package import AuthDomain
package import KeyValueStore
package import Time

/// `AdminSession` as an item, found by the hash of the cookie's token. Signing out deletes it.
package enum AdminSessionRecord {
    package static func item(
        _ session: AdminSession, hash: [UInt8], expiresAt: Instant
    ) -> Item {
        var attributes: Attributes = [:]
        attributes.set("createdAt", session.createdAt)
        attributes.set("lastUsedAt", session.lastUsedAt)
        return Item(StoreLayout.adminSession(hash: hash), attributes, expiresAt: expiresAt)
    }

    package static func session(_ item: Item) throws(StoreFailure) -> AdminSession {
        let read = AttributeReader(item)
        return AdminSession(
            createdAt: try read.instant("createdAt"), lastUsedAt: try read.instant("lastUsedAt"))
    }

    /// Conditions that hold while the row is unchanged since it was read.
    package static func unchanged(_ session: AdminSession) -> [Condition] {
        [
            .equals("createdAt", .integer(session.createdAt.milliseconds)),
            .equals("lastUsedAt", .integer(session.lastUsedAt.milliseconds)),
        ]
    }
}
