package import AuthDomain
internal import Bytes
package import KeyValueStore
package import Time

// The rows of third-party clients.
extension StoreLayout {
    /// The session of a third-party client. It is kept apart from the sessions of the user's
    /// devices, so that no token of one kind finds a row of the other.
    package static func clientGrant(_ grant: SessionID, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", clientGrantPrefix + grant.text)
    }

    package static func clientGrants(of user: UserID) -> PartitionQuery {
        PartitionQuery(
            profile(user).partition, prefix: clientGrantPrefix,
            limit: StoreLimits.itemsPerPageMax)
    }

    package static let clientGrantPrefix = "CLIENTGRANT#"

    /// A user's decision about a client.
    package static func consent(to client: String, of user: UserID) -> ItemKey {
        ItemKey("USER#\(user.text)", consentPrefix + applicationID(client))
    }

    /// A name of a client without characters that would be escaped in paths.
    package static func applicationID(_ client: String) -> String { digest([client]) }

    package static func isApplicationID(_ text: String) -> Bool {
        text.utf8.count == 43 && Base64URL.decode(text) != nil
    }

    /// A user who has decided about a client, the latest decision first.
    package static func clientUser(
        _ user: UserID, of client: String, since givenAt: Instant
    ) -> ItemKey {
        ItemKey(
            clientUsers(applicationID(client)), "\(latestFirst(givenAt))#\(user.text)")
    }

    /// - Parameter id: `applicationID` of the client.
    package static func clientUsers(_ id: String) -> String { "CLIENTUSERS#\(id)" }

    /// Both kinds of rows have the same prefix, so that one query reads them.
    package static func clientGrantsAndConsents(of user: UserID) -> PartitionQuery {
        PartitionQuery(
            profile(user).partition, prefix: "CLIENT", limit: StoreLimits.itemsPerPageMax)
    }

    package static func isConsent(_ row: ItemKey) -> Bool {
        row.sort.utf8.starts(with: consentPrefix.utf8)
    }

    private static let consentPrefix = "CLIENTCONSENT#"

    /// A client that has registered itself, or that an administrator has added.
    package static func client(_ id: String) -> ItemKey { clientRow(applicationID(id)) }

    /// - Parameter name: `applicationID` of the client.
    package static func clientRow(_ name: String) -> ItemKey {
        ItemKey("CLIENT#\(name)", clientSort)
    }

    private static let clientSort = "CLIENT"
    private static let clientEpochSort = "EPOCH"

    /// Whether the key belongs to a client's own row, or to the row with its epoch.
    static func isClient(_ key: ItemKey) -> Bool {
        [clientSort, clientEpochSort].contains { key.sort.isSame(as: $0) }
    }

    /// The epoch of a client that is described elsewhere (`ClientEpoch`).
    package static func clientEpoch(_ id: String) -> ItemKey {
        ItemKey("CLIENT#\(digest([id]))", clientEpochSort)
    }

    package static let clientListPartition = "CLIENTS#ALL"

    /// An entry in the list of clients, the latest first.
    package static func clientListing(_ id: String, registeredAt: Instant) -> ItemKey {
        ItemKey(clientListPartition, "\(latestFirst(registeredAt))#\(id)")
    }

    /// The client in a sort key of that list.
    package static func listedClient(_ sort: String) -> String? {
        let parts = sort.split(separator: "#", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }

    /// The description of a client at the URL that is its ID.
    package static func clientDocument(_ url: String) -> ItemKey {
        clientDocument(named: applicationID(url))
    }

    /// - Parameter name: `applicationID` of the client.
    package static func clientDocument(named name: String) -> ItemKey {
        ItemKey("CLIENTDOCUMENT#\(name)", "DOCUMENT")
    }

    /// A client's request that waits for a person.
    package static func waitingAuthorization(secretHash: [UInt8]) -> ItemKey {
        ItemKey("OAUTHREQUEST#\(Base64URL.encode(secretHash))", "REQUEST")
    }

    /// A request that a client has pushed.
    ///
    /// - Parameter hash: the hash of the request's name, in base64url.
    package static func pushedAuthorization(_ hash: String) -> ItemKey {
        ItemKey("OAUTHREQUEST#\(hash)", "PUSHED")
    }

    /// A device's request for access, by the code that a person types.
    package static func deviceRequest(_ code: UserCode) -> ItemKey {
        ItemKey("USERCODE#\(digest([code.letters]))", "DEVICE")
    }

    /// How often a device has polled in one second.
    package static func questions(with secretHash: [UInt8], second: Int64) -> ItemKey {
        ItemKey("RATE#poll#\(Base64URL.encode(secretHash))", "\(second)")
    }

    /// How often a client's assertion was presented.
    package static func presentations(ofAssertion id: String, from client: String) -> ItemKey {
        ItemKey("RATE#assertion#\(digest([client, id]))", "PRESENTED")
    }

    /// The end of sessions of which clients must still be notified. The rows of a shard are in the
    /// order in which they are due.
    static func logoutNotice(_ user: UserID, shards: Int, due: String, name: String) -> ItemKey {
        let shard = Int(digestBytes([user.text])[0]) % shards
        return ItemKey(logoutNotices(shard: shard), "\(due)#\(user.text)#\(name)")
    }

    package static func logoutNotices(shard: Int) -> String { "LOGOUT#\(shard)" }
}
