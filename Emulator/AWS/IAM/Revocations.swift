internal import Bytes
internal import JSON
internal import Synchronization
package import Time

/// Revoked sessions: single ones by their access key, or all sessions of a role that were issued
/// before a time.
package final class Revocations: Sendable {
    package static let entriesMax = 10_000

    private struct Entry: Sendable {
        /// An access key ID, or the ARN of a role.
        let name: String
        let issuedUpTo: Instant
    }

    private let entries: Mutex<[Entry]>
    private let save: @Sendable ([UInt8]) -> Bool

    /// Without storage, the revocations are lost at a restart.
    package init() {
        entries = Mutex([])
        save = { _ in true }
    }

    /// `saved` is the value that `save` last received, or empty; nil if it is damaged. `save`
    /// returns whether it succeeded.
    package init?(saved: [UInt8], save: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }) {
        guard let read = Self.read(saved) else { return nil }
        entries = Mutex(read)
        self.save = save
    }

    private static func read(_ saved: [UInt8]) -> [Entry]? {
        guard !saved.isEmpty else { return [] }
        let json = try? JSON.parse(saved, limits: JSONLimits(bytesMax: 8 << 20, depthMax: 4))
        guard let list = json?.arrayValue else { return nil }
        var entries: [Entry] = []
        for entry in list {
            guard let name = entry["name"]?.stringValue, let until = entry["until"]?.int64Value
            else { return nil }
            entries.append(Entry(name: name, issuedUpTo: Instant(milliseconds: until)))
        }
        return entries
    }

    /// Revokes one session by its access key, or all of a role's sessions issued so far. Returns
    /// false, without revoking, if the list is full or cannot be saved.
    package func revoke(_ name: String, issuedUpTo: Instant) -> Bool {
        entries.withLock { entries in
            var next = entries.filter {
                !$0.name.isSame(as: name) || $0.issuedUpTo > issuedUpTo
            }
            guard next.count < Self.entriesMax else { return false }
            next.append(Entry(name: name, issuedUpTo: issuedUpTo))
            let list = next.map { entry -> JSON in
                ["name": .string(entry.name), "until": .number(entry.issuedUpTo.milliseconds)]
            }
            guard save(JSON.array(list).serialized) else { return false }
            entries = next
            return true
        }
    }

    func cover(_ session: IAMSession, accessKeyID: String) -> Bool {
        entries.withLock { entries in
            entries.contains { entry in
                session.issuedAt <= entry.issuedUpTo
                    && (entry.name.isSame(as: accessKeyID)
                        || session.role?.roleARN.isSame(as: entry.name) ?? false)
            }
        }
    }
}
