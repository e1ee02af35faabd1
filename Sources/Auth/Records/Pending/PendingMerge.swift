package import AuthDomain
internal import Cryptography
package import KeyValueStore
package import Time

/// The offer to merge an account into another one. A session of the first account has proven a
/// sign-in method of the other. The row is in the partition of the account that ends; the ticket
/// contains the ID of the other account.
package struct PendingMerge: Equatable, Sendable {
    /// The account that remains.
    package let other: UserID
    /// The epochs of the account that ends and of the other one. An offer becomes invalid when all
    /// sessions of one of them end.
    package let epoch: Int64
    package let otherEpoch: Int64
    /// The session that proved the sign-in method. Only this session can use the ticket.
    package let session: SessionID
    package let provider: String
    package let method: ProofMethod
    /// Set once the ticket is used.
    package let opened: Opened?

    /// The session that a merge has opened, for a repeated request whose response was lost.
    package struct Opened: Equatable, Sendable {
        package let session: SessionID
        package let at: Instant

        package init(session: SessionID, at: Instant) {
            self.session = session
            self.at = at
        }
    }

    package init(
        other: UserID, epoch: Int64, otherEpoch: Int64, session: SessionID, provider: String,
        method: ProofMethod, opened: Opened? = nil
    ) {
        self.other = other
        self.epoch = epoch
        self.otherEpoch = otherEpoch
        self.session = session
        self.provider = provider
        self.method = method
        self.opened = opened
    }

    package func opening(_ session: SessionID, at now: Instant) -> PendingMerge {
        PendingMerge(
            other: other, epoch: epoch, otherEpoch: otherEpoch, session: self.session,
            provider: provider, method: method, opened: Opened(session: session, at: now))
    }

    /// - Parameter ticket: the ticket, which contains the ID of the account that remains.
    package static func key(_ ticket: AccountLink, of user: UserID) -> ItemKey {
        StoreLayout.link(.merge, secretHash: ticket.place, of: user)
    }

    package func item(_ key: ItemKey, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "other": .text(other.text), "epoch": .integer(epoch),
            "otherEpoch": .integer(otherEpoch), "session": .text(session.text),
            "provider": .text(provider), "method": .text(method.rawValue),
        ]
        if let opened {
            attributes[Self.openedSession] = .text(opened.session.text)
            attributes.set("openedAt", opened.at)
        }
        return Item(key, attributes, expiresAt: expiresAt)
    }

    /// The conditions of the write that uses the ticket.
    package static let unused: [Condition] = [.present, .lacks(openedSession)]

    private static let openedSession = "openedSession"

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let other = UserID(parsing: try read.text("other")) else {
            throw read.unreadable("other")
        }
        guard let session = SessionID(parsing: try read.text("session")) else {
            throw read.unreadable("session")
        }
        guard let method = ProofMethod(rawValue: try read.text("method")) else {
            throw read.unreadable("method")
        }
        var opened: Opened?
        if let text = try read.optionalText(Self.openedSession) {
            guard let id = SessionID(parsing: text) else {
                throw read.unreadable(Self.openedSession)
            }
            opened = Opened(session: id, at: try read.instant("openedAt"))
        }
        self.init(
            other: other, epoch: try read.integer("epoch"),
            otherEpoch: try read.integer("otherEpoch"), session: session,
            provider: try read.text("provider"), method: method, opened: opened)
    }
}
