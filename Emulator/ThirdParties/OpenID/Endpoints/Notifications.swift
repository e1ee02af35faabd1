internal import Bytes
internal import JSON
internal import Synchronization
internal import Time

/// The faults of a notification.
enum NotificationFault: String, Sendable, CaseIterable, NamedFault {
    case wrongSignature = "wrong-signature"
    case replayed = "replayed-jti"
    case unknownType = "unknown-type"

    var sentence: String {
        switch self {
        case .wrongSignature: "Signed with an unpublished key, under the kid of a published one."
        case .replayed: "The jti of the previous notification to the same client."
        case .unknownType: "The type is unknown."
        }
    }
}

/// The notifications that were sent, newest last.
final class Notifications: Sendable {
    struct Entry: Sendable {
        let id: String
        let clientID: String
        let type: String
        let url: String
        let sentAt: Instant
        /// The status of each attempt so far; nil if there was no response.
        var attempts: [Int?] = []
    }

    private static let max = 200
    private let entries = Mutex<[Entry]>([])

    func add(_ entry: Entry) {
        entries.withLock { entries in
            entries.append(entry)
            if entries.count > Self.max { entries.removeFirst(entries.count - Self.max) }
        }
    }

    /// Records an attempt and returns the number of attempts. For a replayed ID it counts for the
    /// newest entry.
    func note(_ status: Int?, of id: String) -> Int {
        entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.id.isSame(as: id) }) else {
                return .max
            }
            entries[index].attempts.append(status)
            return entries[index].attempts.count
        }
    }

    func lastID(to clientID: String) -> String? {
        entries.withLock { $0.last { $0.clientID.isSame(as: clientID) }?.id }
    }

    var json: JSON {
        let list: [JSON] = entries.withLock { $0 }.map { entry in
            [
                "jti": .string(entry.id), "clientId": .string(entry.clientID),
                "type": .string(entry.type), "url": .string(entry.url),
                "sentAt": .string(entry.sentAt.iso8601Milliseconds),
                "statuses": .array(entry.attempts.map { $0.map { .number($0) } ?? .null }),
                "delivered": .bool(entry.attempts.last == 200),
            ]
        }
        return ["notifications": .array(list)]
    }
}
