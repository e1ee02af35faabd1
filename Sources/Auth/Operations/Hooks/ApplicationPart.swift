package import AuthDomain
internal import Bytes
internal import JSON
package import Time

// The application's part when an account ends: the hooks `merge` and `erase`.
extension HookServices {
    /// nil without the hook `merge`.
    package func mergeParticipant(_ clock: WallClock) -> MergeParticipant? {
        guard has(.merge) else { return nil }
        return MergeParticipant { merge throws(ErasureFailure) in
            try carryOut(
                HookEvent(
                    .merge, id: merge.eventID, of: merge.user, into: merge.other,
                    isLast: merge.isLast, at: clock.now()))
        }
    }

    /// nil without the hook `erase`.
    package func erasure(_ clock: WallClock) -> ErasureServices.EraseApplicationPart? {
        guard has(.erase) else { return nil }
        return { ended throws(ErasureFailure) in
            try carryOut(
                HookEvent(
                    .erase, id: ended.eventID, of: ended.user, into: ended.mergedInto,
                    isLast: ended.isLast, at: clock.now()))
        }
    }
}

/// An account whose data is erased.
package struct EndedAccount: Equatable, Sendable {
    package let user: UserID
    /// The account into which it was merged, if any.
    package let mergedInto: UserID?
    /// Whether this is the call after the last access token of the account has expired.
    package let isLast: Bool

    package init(user: UserID, mergedInto: UserID?, isLast: Bool) {
        self.user = user
        self.mergedInto = mergedInto
        self.isLast = isLast
    }

    /// The ID is the same when a call is repeated.
    var eventID: String { "erase-\(user.text)\(isLast ? "-again" : "")" }
}

extension HookEvent {
    /// An event about an account that has ended. It has no other members, because nothing else is
    /// kept.
    fileprivate init(
        _ kind: HookKind, id: String, of user: UserID, into other: UserID?, isLast: Bool,
        at now: Instant
    ) {
        var event: JSONObject = [
            "hook": .string(kind.rawValue), "id": .string(id),
            "time": .number(JSONNumber(now.seconds)), "user": ["id": .string(user.text)],
            "isLast": .bool(isLast),
        ]
        event["into"] = other.map { ["id": .string($0.text)] }
        self.init(kind: kind, id: id, time: now, bytes: event.serialized)
    }
}

/// The answer of `merge` and `erase`: `{"done": true}`. After any other answer, the hook is called
/// again later.
enum ConfirmationAnswer {
    private static let limits = JSONLimits(
        bytesMax: HookAnswer.bytesMax, depthMax: 2, membersMax: 16)

    static func check(_ bytes: [UInt8]) throws(HookFailure) {
        guard bytes.count <= HookAnswer.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: limits))?.objectValue?.members,
            members.count == 1, members[0].name.isSame(as: "done"),
            let isDone = members[0].value.boolValue
        else { throw .malformed }
        guard isDone else { throw .notDone }
    }
}
