internal import Bytes
internal import JSON
internal import KeyValueStore
internal import Time

/// The displayed attributes of a session of Latchkey's functions. A separate reader of the layout
/// in docs/architecture.md, section "State", which does not read the token seeds.
struct SessionItem: Sendable {
    static let userPrefix = "USER#"
    static let sessionPrefix = "SESSION#"

    let user: String
    let family: String
    let generation: Int64
    let epoch: Int64
    let provider: String
    let deviceName: String?
    let createdAt: Instant
    let lastUsedAt: Instant
    let idleExpiresAt: Instant
    let absoluteExpiresAt: Instant
    let isBoundToKey: Bool

    /// nil if it is not the item of a session.
    init?(_ item: Item) {
        guard let (user, family) = Self.ids(item.key) else { return nil }
        func instant(_ name: String) -> Instant? {
            Self.integer(item, name).map(Instant.init(milliseconds:))
        }
        guard let generation = Self.integer(item, "generation"),
            let epoch = Self.integer(item, "epoch"), let provider = Self.text(item, "provider"),
            let createdAt = instant("createdAt"), let lastUsedAt = instant("lastUsedAt"),
            let idleExpiresAt = instant("idleExpiresAt"),
            let absoluteExpiresAt = instant("absoluteExpiresAt")
        else { return nil }
        self.user = user
        self.family = family
        self.generation = generation
        self.epoch = epoch
        self.provider = provider
        deviceName = Self.text(item, "deviceName")
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        isBoundToKey = Self.text(item, "clientKey") != nil
    }

    /// The attributes that are read: those above and no others.
    static let names = [
        "generation", "epoch", "provider", "deviceName", "createdAt", "lastUsedAt",
        "idleExpiresAt", "absoluteExpiresAt", "clientKey",
    ]

    static func key(user: String, family: String) -> ItemKey {
        ItemKey(userPrefix + user, sessionPrefix + family)
    }

    static func ids(_ key: ItemKey) -> (user: String, family: String)? {
        guard key.partition.utf8.starts(with: userPrefix.utf8),
            key.sort.utf8.starts(with: sessionPrefix.utf8)
        else { return nil }
        return (
            String(key.partition.dropFirst(userPrefix.count)),
            String(key.sort.dropFirst(sessionPrefix.count))
        )
    }

    private static func integer(_ item: Item, _ name: String) -> Int64? {
        guard case .integer(let value) = item.attributes[name] else { return nil }
        return value
    }

    private static func text(_ item: Item, _ name: String) -> String? {
        guard case .text(let value) = item.attributes[name] else { return nil }
        return value
    }

    var expiresAt: Instant { min(idleExpiresAt, absoluteExpiresAt) }

    /// The remaining time in which the previous token still gets the same successor; nil if there
    /// is no previous token or the time is not known.
    func graceLeft(_ grace: Span?, at now: Instant) -> Span? {
        guard generation > 0, let grace else { return nil }
        let passed = now - lastUsedAt
        return .milliseconds(max(0, grace.milliseconds - max(0, passed.milliseconds)))
    }
}

/// The attributes of a session's account that end sessions.
struct AccountItem: Sendable {
    let epoch: Int64?
    let isDisabled: Bool
    let isDeleted: Bool

    static let sort = "PROFILE"
    static let names = ["epoch", "isDisabled", "deletedAt"]

    static func key(of user: String) -> ItemKey { ItemKey(SessionItem.userPrefix + user, sort) }

    init(_ item: Item) {
        if case .integer(let value) = item.attributes["epoch"] {
            epoch = value
        } else {
            epoch = nil
        }
        isDisabled = item.attributes["isDisabled"] == .flag(true)
        isDeleted = item.attributes["deletedAt"] != nil
    }
}

/// A session's state, by the same rules as `Sources/Auth/Domain/Sessions/SessionEnd.swift`.
enum SessionState: String, Sendable {
    case active
    case expired
    case signedOutEverywhere
    case accountDeleted
    case accountDisabled

    init(_ session: SessionItem, _ account: AccountItem?, at now: Instant) {
        guard let account, !account.isDeleted else {
            self = .accountDeleted
            return
        }
        if now >= session.expiresAt {
            self = .expired
        } else if session.epoch != account.epoch {
            self = .signedOutEverywhere
        } else {
            self = account.isDisabled ? .accountDisabled : .active
        }
    }
}
