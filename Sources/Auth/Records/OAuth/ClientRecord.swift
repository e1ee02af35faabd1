internal import Bytes
package import KeyValueStore
package import Time

/// A client in the store: one that has registered itself, or that an administrator has added.
package struct ClientRecord: Equatable, Sendable {
    /// A replaced secret, which is still valid for a while.
    package struct FormerSecret: Equatable, Sendable {
        package let hash: [UInt8]
        package let endsAt: Instant

        package init(hash: [UInt8], endsAt: Instant) {
            self.hash = hash
            self.endsAt = endsAt
        }
    }

    package let id: String
    /// JSON, with the members of RFC 7591.
    package let metadata: [UInt8]
    /// nil for a client without a secret.
    package private(set) var secretHash: [UInt8]?
    package private(set) var formerSecret: FormerSecret?
    package let registeredAt: Instant
    /// The administrator who has added the client; nil if the client has registered itself.
    package let addedBy: String?
    package private(set) var disabledAt: Instant?
    package private(set) var epoch: Int64
    /// Raised by each change.
    private var revision: Int64

    package init(
        id: String, metadata: [UInt8], secretHash: [UInt8]?, registeredAt: Instant,
        addedBy: String?, epoch: Int64 = 0
    ) {
        self.id = id
        self.metadata = metadata
        self.secretHash = secretHash
        self.registeredAt = registeredAt
        self.addedBy = addedBy
        self.epoch = epoch
        revision = 0
    }

    // MARK: Changes

    package func disabled(at moment: Instant?) -> ClientRecord {
        changed { $0.disabledAt = moment }
    }

    /// - Parameter end: the end of the former secret; nil if it is no longer valid.
    package func replacingSecret(by hash: [UInt8], formerUntil end: Instant?) -> ClientRecord {
        changed { next in
            next.formerSecret = secretHash.flatMap { former in
                end.map { FormerSecret(hash: former, endsAt: $0) }
            }
            next.secretHash = hash
        }
    }

    package func endingFormerSecret() -> ClientRecord { changed { $0.formerSecret = nil } }

    package func endingGrants(at epoch: Int64) -> ClientRecord { changed { $0.epoch = epoch } }

    private func changed(_ change: (inout ClientRecord) -> Void) -> ClientRecord {
        var next = self
        next.revision += 1
        change(&next)
        return next
    }

    // MARK: The row

    private static let revisionName = "revision"
    private static let registeredName = "registeredAt"
    private static let disabledName = "disabledAt"

    /// - Parameter expiresAt: nil for a client that is kept until it is deleted.
    package func item(expiresAt: Instant?) -> Item {
        var attributes: Attributes = ["client": .text(id), "metadata": .bytes(metadata)]
        if let secretHash { attributes["secret"] = .bytes(secretHash) }
        if let formerSecret {
            attributes["formerSecret"] = .bytes(formerSecret.hash)
            attributes.set("formerSecretEndsAt", formerSecret.endsAt)
        }
        attributes.set(Self.registeredName, registeredAt)
        attributes.set("addedBy", addedBy)
        if let disabledAt { attributes.set(Self.disabledName, disabledAt) }
        ClientEpoch.set(epoch, in: &attributes)
        if revision > 0 { attributes[Self.revisionName] = .integer(revision) }
        return Item(StoreLayout.client(id), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            id: try read.text("client"), metadata: try read.bytes("metadata"),
            secretHash: try read.optionalBytes("secret"),
            registeredAt: try read.instant(Self.registeredName),
            addedBy: try read.optionalText("addedBy"), epoch: try ClientEpoch.read(read))
        disabledAt = try read.optionalInteger(Self.disabledName).map(Instant.init(milliseconds:))
        if let former = try read.optionalBytes("formerSecret") {
            formerSecret = FormerSecret(
                hash: former, endsAt: try read.instant("formerSecretEndsAt"))
        }
        revision = try read.optionalInteger(Self.revisionName) ?? 0
    }

    /// Conditions that hold until the client is changed or deleted.
    package var unchanged: [Condition] {
        [
            .equals(Self.registeredName, .integer(registeredAt.milliseconds)),
            revision == 0
                ? .lacks(Self.revisionName) : .equals(Self.revisionName, .integer(revision)),
        ]
    }

    /// The client that a write disables or deletes, or whose grants it ends.
    ///
    /// - Returns: the client, and the time of the end; nil for now.
    static func ended(by write: Write) -> (client: String, since: Instant?)? {
        switch write {
        case .put(let item, _):
            guard StoreLayout.isClient(item.key),
                case .text(let client)? = item.attributes["client"],
                let since = [disabledName, ClientEpoch.name].compactMap({ name in
                    if case .integer(let time)? = item.attributes[name] { time } else { nil }
                }).max()
            else { return nil }
            return (client, Instant(milliseconds: since))
        // The row's key contains only the hash of the client's ID, and the entry in the list
        // contains the ID.
        case .delete(let key, _):
            guard key.partition.isSame(as: StoreLayout.clientListPartition) else { return nil }
            return StoreLayout.listedClient(key.sort).map { ($0, nil) }
        case .check: return nil
        }
    }

    /// The entry in the list of clients.
    package func listing(expiresAt: Instant?) -> Item {
        Item(StoreLayout.clientListing(id, registeredAt: registeredAt), [:], expiresAt: expiresAt)
    }
}
