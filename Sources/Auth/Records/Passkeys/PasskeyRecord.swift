package import AuthDomain
package import KeyValueStore
package import Time
internal import WebAuthn

/// `Passkey` as an item of its account's partition.
package enum PasskeyRecord {
    /// - Parameters:
    ///   - id: the subject of the passkey's identity.
    ///   - sealed: the credential, encrypted.
    package static func item(
        _ passkey: Passkey, id: String, of user: UserID, sealed: [UInt8], revision: Int64 = 0
    ) -> Item {
        var attributes: Attributes = [
            "sealed": .bytes(sealed),
            "signatureCount": .integer(Int64(passkey.signatureCount)),
            "isBackedUp": .flag(passkey.isBackedUp),
            "transports": .text(passkey.transports.joined(separator: " ")),
            "revision": .integer(revision),
        ]
        attributes.set("name", passkey.name)
        attributes.set("createdAt", passkey.createdAt)
        attributes.set("lastUsedAt", passkey.lastUsedAt)
        return Item(StoreLayout.passkey(id, of: user), attributes)
    }

    package static func sealed(_ item: Item) throws(StoreFailure) -> [UInt8] {
        try AttributeReader(item).bytes("sealed")
    }

    /// - Parameter credential: the decrypted content of the row.
    package static func passkey(
        _ item: Item, _ credential: PasskeyCredential
    ) throws(StoreFailure) -> Passkey {
        let read = AttributeReader(item)
        guard let count = UInt32(exactly: try read.integer("signatureCount")) else {
            throw read.unreadable("signatureCount")
        }
        return Passkey(
            credential, name: try read.optionalText("name"), signatureCount: count,
            isBackedUp: try read.flag("isBackedUp"),
            transports: try read.text("transports").split(separator: " ").map(String.init),
            createdAt: try read.instant("createdAt"), lastUsedAt: try read.instant("lastUsedAt"))
    }

    package static func listed(_ item: Item) throws(StoreFailure) -> ListedPasskey {
        let read = AttributeReader(item)
        return ListedPasskey(
            id: id(of: item.key), name: try read.optionalText("name"),
            createdAt: try read.instant("createdAt"), lastUsedAt: try read.instant("lastUsedAt"))
    }

    /// Replaces the row that was read as `item`; fails if it was changed since, so that one of two
    /// signatures with the same counter is refused.
    package static func replacing(
        _ item: Item, of user: UserID, with passkey: Passkey, sealed: [UInt8]
    ) throws(StoreFailure) -> Write {
        let read = AttributeReader(item)
        let revision = try read.integer("revision")
        let next = Self.item(
            passkey, id: Self.id(of: item.key), of: user, sealed: sealed, revision: revision + 1)
        return .put(next, when: [.equals("revision", .integer(revision))])
    }

    package static func id(of key: ItemKey) -> String { StoreLayout.passkeyID(key) }
}

/// The part of a passkey's row that is readable without a master key.
package struct ListedPasskey: Equatable, Sendable {
    package let id: String
    package let name: String?
    package let createdAt: Instant
    package let lastUsedAt: Instant
}
