package import AuthDomain
package import KeyValueStore
package import Time

/// The hash of an account's password, a PHC string, as an item.
package enum PasswordRecord {
    /// - Parameter since: `SessionProofs.since` of the session that set it; nil if a mailed link
    ///   set it.
    package static func item(
        _ hash: String, of user: UserID, changedAt: Instant, since: Instant? = nil
    ) -> Item {
        var attributes: Attributes = ["hash": .text(hash)]
        attributes.set("changedAt", changedAt)
        if let since { attributes.set("since", since) }
        return Item(StoreLayout.password(of: user), attributes)
    }

    package static func hash(_ item: Item) throws(StoreFailure) -> String {
        try AttributeReader(item).text("hash")
    }

    package static func changedAt(_ item: Item) throws(StoreFailure) -> Instant {
        try AttributeReader(item).instant("changedAt")
    }

    /// nil if no session has set it.
    package static func addition(_ item: Item) throws(StoreFailure) -> Addition? {
        guard let since = try AttributeReader(item).optionalInteger("since") else { return nil }
        return Addition(at: try changedAt(item), since: Instant(milliseconds: since))
    }

    /// The same password, hashed at another cost; the write fails if the password was changed in
    /// the meantime.
    package static func rehashed(_ old: Item, _ hash: String) -> Write {
        var item = old
        item.attributes["hash"] = .text(hash)
        return .put(item, when: unchanged(old))
    }

    /// Conditions that hold while the password is unchanged since it was read.
    package static func unchanged(_ item: Item) -> [Condition] {
        item.attributes["hash"].map { [.equals("hash", $0)] } ?? []
    }
}
