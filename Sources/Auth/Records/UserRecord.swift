package import AuthDomain
internal import Bytes
internal import JSON
package import KeyValueStore
internal import Time

/// `User` as an item.
package enum UserRecord {
    package static func item(_ user: User) -> Item {
        var attributes: Attributes = [
            "isEmailVerified": .flag(user.isEmailVerified),
            "identities": .bytes(identities(user.identities)),
            epoch: .integer(user.epoch),
            "isDisabled": .flag(user.isDisabled),
            "isAdmin": .flag(user.isAdmin),
            "revision": .integer(user.revision),
        ]
        if let publicID = user.publicID { attributes["publicID"] = .integer(publicID) }
        if let deletedAt = user.deletedAt { attributes.set("deletedAt", deletedAt) }
        attributes.set("mergedInto", user.mergedInto?.text)
        if user.hasSecondFactor { attributes[secondFactor] = .flag(true) }
        if user.isGuest { attributes[guest] = .flag(true) }
        if user.hasChosenEmail { attributes[chosenEmail] = .flag(true) }
        if !user.restorePoints.isEmpty {
            attributes[restorePoints] = .bytes(RestorePoints.encode(user.restorePoints))
        }
        if let handle = user.passkeyHandle { attributes["passkeyHandle"] = .bytes(handle) }
        // An administrator has no stored role: `isAdmin` implies it.
        if !user.isAdmin { attributes.set("adminRole", user.adminRole?.rawValue) }
        attributes.set("email", user.email)
        attributes.set("login", user.login)
        attributes.set("displayName", user.displayName)
        attributes.set("createdAt", user.createdAt)
        attributes.set("updatedAt", user.updatedAt)
        return Item(StoreLayout.profile(user.id), attributes)
    }

    private static let epoch = "epoch"
    /// This attribute is written only if it is true.
    private static let secondFactor = "hasSecondFactor"
    /// This attribute is written only if it is true.
    private static let guest = "isGuest"
    /// This attribute is written only if it is true.
    private static let chosenEmail = "hasChosenEmail"
    /// The name is from a time when only addresses could be restored.
    private static let restorePoints = "formerAddresses"

    package static func user(_ item: Item, id: UserID) throws(StoreFailure) -> User {
        let read = AttributeReader(item)
        var user = User(
            id: id,
            email: try read.optionalText("email"),
            isEmailVerified: try read.flag("isEmailVerified"),
            displayName: try read.optionalText("displayName"),
            identities: try identities(try read.bytes("identities"), read),
            createdAt: try read.instant("createdAt"))
        user.updatedAt = try read.instant("updatedAt")
        user.epoch = try read.integer(epoch)
        user.isDisabled = try read.flag("isDisabled")
        // Earlier versions know only the flag.
        user.adminRole = try read.optionalText("adminRole").flatMap(AdminRole.init(rawValue:))
        if try read.flag("isAdmin") { user.adminRole = .administrator }
        user.hasSecondFactor = try read.optionalFlag(secondFactor) ?? false
        user.isGuest = try read.optionalFlag(guest) ?? false
        user.passkeyHandle = try read.optionalBytes("passkeyHandle")
        user.hasChosenEmail = try read.optionalFlag(chosenEmail) ?? false
        if let bytes = try read.optionalBytes(restorePoints) {
            guard let list = RestorePoints.decode(bytes) else {
                throw read.unreadable(restorePoints)
            }
            user.restorePoints = list
        }
        user.revision = try read.integer("revision")
        user.login = try read.optionalText("login")
        user.publicID = try read.optionalInteger("publicID")
        user.deletedAt = try read.optionalInteger("deletedAt").map(Instant.init(milliseconds:))
        user.mergedInto = try read.optionalText("mergedInto").flatMap(UserID.init(parsing:))
        return user
    }

    /// Replaces the account that was read as `user`; the write fails if it was changed since. An
    /// operator who edits a row manually may forget `revision`, so everything relevant for access
    /// is compared too.
    package static func replacing(_ user: User, change: (inout User) -> Void) -> Write {
        var next = user
        change(&next)
        next.revision = user.revision + 1
        return .put(item(next), when: unchanged(user))
    }

    /// The condition that the sessions of the user have not all ended since `user` was read.
    package static func isSameEpoch(_ user: User) -> Condition {
        .equals(epoch, .integer(user.epoch))
    }

    /// The epoch whose sessions a replacement ends; nil if it ends none, or only those of a guest
    /// account, which third-party clients cannot access.
    static func endedEpoch(_ item: Item, _ conditions: [Condition]) -> Int64? {
        conditions.contains(where: isOfGuest) ? nil : epochs(item, conditions)?.former
    }

    /// The new epoch of a replacement that raises it.
    static func raisedEpoch(_ item: Item, _ conditions: [Condition]) -> Int64? {
        epochs(item, conditions)?.next
    }

    /// The former and the new epoch; nil if the replacement does not change the epoch.
    private static func epochs(
        _ item: Item, _ conditions: [Condition]
    ) -> (former: Int64, next: Int64)? {
        guard item.key.sort.isSame(as: StoreLayout.profileSort),
            case .integer(let next)? = item.attributes[epoch]
        else { return nil }
        for case .equals(epoch, .integer(let former)) in conditions where former != next {
            return (former, next)
        }
        return nil
    }

    private static func isOfGuest(_ condition: Condition) -> Bool {
        condition == .equals(guest, .flag(true))
    }

    /// Conditions that hold if the account is unchanged in everything relevant for access.
    package static func unchanged(_ user: User) -> [Condition] {
        [
            .equals("revision", .integer(user.revision)), isSameEpoch(user),
            .equals("isDisabled", .flag(user.isDisabled)),
            user.deletedAt.map { .equals("deletedAt", .integer($0.milliseconds)) }
                ?? .lacks("deletedAt"),
            user.hasSecondFactor
                ? .equals(secondFactor, .flag(true)) : .lacks(secondFactor),
            user.isGuest ? .equals(guest, .flag(true)) : .lacks(guest),
        ]
    }

    static func identities(_ identities: [LinkedIdentity]) -> [UInt8] {
        JSON.array(
            identities.map { identity in
                var object: JSONObject = [
                    "provider": .string(identity.provider),
                    "issuer": .string(identity.issuer),
                    "subject": .string(identity.subject),
                ]
                if let addition = identity.addition {
                    object["addedAt"] = .number(addition.at.milliseconds)
                    object["addedSince"] = .number(addition.since.milliseconds)
                }
                return .object(object)
            }
        ).serialized
    }

    static func identities(
        _ bytes: [UInt8], _ read: AttributeReader
    ) throws(StoreFailure) -> [LinkedIdentity] {
        guard let json = try? JSON.parse(bytes, limits: .request), let list = json.arrayValue else {
            throw read.unreadable("identities")
        }
        var identities: [LinkedIdentity] = []
        for entry in list {
            guard let provider = entry["provider"]?.stringValue,
                let issuer = entry["issuer"]?.stringValue,
                let subject = entry["subject"]?.stringValue
            else { throw read.unreadable("identities") }
            var identity = LinkedIdentity(provider: provider, issuer: issuer, subject: subject)
            if let at = entry["addedAt"]?.int64Value, let since = entry["addedSince"]?.int64Value {
                identity.addition = Addition(
                    at: Instant(milliseconds: at), since: Instant(milliseconds: since))
            }
            identities.append(identity)
        }
        return identities
    }
}
