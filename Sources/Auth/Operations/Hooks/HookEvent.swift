internal import AuthDomain
internal import Bytes
internal import JSON
package import Time

/// The event that a hook receives, as JSON.
package struct HookEvent: Sendable {
    package let kind: HookKind
    /// A UUID. It is the same if an event is sent twice.
    package let id: String
    package let time: Instant
    package let bytes: [UInt8]
}

extension HookEvent {
    /// An event about a request. It contains no password, token or code.
    ///
    /// - Parameters:
    ///   - provider: the provider of the session, or of the account that is to be created; nil
    ///     without a user.
    ///   - members: the members specific to the hook.
    init(
        _ kind: HookKind, _ auth: AuthServices, _ operation: AuthOperation, _ provider: String?,
        _ members: JSONObject, _ caller: Caller
    ) {
        let (id, now) = (UUIDText(random: auth.random).text, auth.clock.now())
        var client = JSONObject()
        client["address"] = caller.address.map { .string($0) }
        client["userAgent"] = caller.userAgent.map { .string($0) }
        client["language"] = caller.language.map { .string($0) }
        client["botProof"] = caller.botProof.map { .string($0) }
        var event: JSONObject = [
            "hook": .string(kind.rawValue), "id": .string(id),
            "time": .number(JSONNumber(now.seconds)), "operation": .string(operation.name),
        ]
        event["provider"] = provider.map { .string($0) }
        event["client"] = .object(client)
        for member in members.members { event[member.name] = member.value }
        self.init(kind: kind, id: id, time: now, bytes: event.serialized)
    }

    static func members(of user: User) -> JSONObject {
        var members: JSONObject = [
            "id": .string(user.id.text), "isEmailVerified": .bool(user.isEmailVerified),
            "isGuest": .bool(user.isGuest), "hasSecondFactor": .bool(user.hasSecondFactor),
            "createdAt": .number(JSONNumber(user.createdAt.seconds)),
        ]
        members["email"] = user.email.map { .string($0) }
        members["displayName"] = user.displayName.map { .string($0) }
        return members
    }
}
