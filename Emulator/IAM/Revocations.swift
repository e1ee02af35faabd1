internal import Bytes
internal import JSON
internal import Synchronization
package import Time

/// What was withdrawn before its end: sessions by their access key, and those of a role up to a
/// moment.
package final class Revocations: Sendable {
    package static let entriesMax = 10_000

    private struct Entry: Sendable {
        /// An access key id, or the ARN of a role.
        let name: String
        let issuedUpTo: Instant
    }

    private let entries: Mutex<[Entry]>
    private let save: @Sendable ([UInt8]) -> Void

    /// `saved` is what `save` was last given; without a place to keep it, it is forgotten.
    package init(
        saved: [UInt8] = [], save: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        let json = try? JSON.parse(saved, limits: JSONLimits(bytesMax: 8 << 20, depthMax: 4))
        let read = json?.arrayValue?.compactMap { entry -> Entry? in
            guard let name = entry["name"]?.stringValue, let until = entry["until"]?.int64Value
            else { return nil }
            return Entry(name: name, issuedUpTo: Instant(milliseconds: until))
        }
        entries = Mutex(read ?? [])
        self.save = save
    }

    /// Withdraws one session by its access key, or all of a role's sessions issued so far. False
    /// when the list is full.
    package func revoke(_ name: String, issuedUpTo: Instant) -> Bool {
        entries.withLock { entries in
            entries.removeAll { $0.name.isSame(as: name) && $0.issuedUpTo <= issuedUpTo }
            guard entries.count < Self.entriesMax else { return false }
            entries.append(Entry(name: name, issuedUpTo: issuedUpTo))
            let list = entries.map { entry -> JSON in
                ["name": .string(entry.name), "until": .number(entry.issuedUpTo.milliseconds)]
            }
            save(JSON.array(list).serialized)
            return true
        }
    }

    func cover(_ session: Session, accessKeyID: String) -> Bool {
        entries.withLock { entries in
            entries.contains { entry in
                session.issuedAt <= entry.issuedUpTo
                    && (entry.name.isSame(as: accessKeyID)
                        || session.role?.roleARN.isSame(as: entry.name) ?? false)
            }
        }
    }
}
