package import AuthDomain
package import Bytes
internal import Cryptography
package import KeyValueStore
package import Time

/// An event in its place in a chain.
///
/// The link is an HMAC over the chain's name and every attribute of the row, among them the number,
/// the link before it and both expiries. An attacker who can write the table but does not have the
/// key therefore cannot change, move, insert or reorder events. Removing events from the middle or
/// the end leaves a gap, unless the newest events are removed and an earlier head is restored: only
/// an anchor kept elsewhere reveals that (`VerifyAudit`).
package struct AuditRecord: Equatable, Sendable {
    package let entry: AuditEntry
    /// Starts at 1.
    package let sequence: Int64
    package let expiresAt: Instant
    /// The link of the event before it; zeros for the first event.
    package let previous: [UInt8]
    /// When the event before it expires: after that, its absence does not indicate tampering.
    package let previousExpiresAt: Instant
    package let link: [UInt8]

    /// The next event after `head`.
    package init(
        _ entry: AuditEntry, after head: AuditHead?, of chain: AuditChain, _ key: AuditKeys
    ) {
        self.entry = entry
        sequence = (head?.sequence ?? 0) + 1
        // The event never expires before the previous event, even if the clocks of two machines
        // differ: rows expire oldest first.
        expiresAt = max(entry.at + chain.retention, head?.lastExpiresAt ?? entry.at)
        previous = head?.link ?? Self.noLink
        previousExpiresAt = head?.lastExpiresAt ?? Instant(milliseconds: 0)
        let row = Self.row(
            entry, sequence: sequence, previous: previous, previousExpiresAt: previousExpiresAt,
            expiresAt: expiresAt, of: chain)
        link = key.link(row, of: chain)
    }

    package var head: AuditHead {
        AuditHead(sequence: sequence, link: link, lastExpiresAt: expiresAt)
    }

    /// The sort key of the event.
    package func place(in chain: AuditChain) -> String {
        StoreLayout.audit(chain.partition, sequence: sequence, id: entry.id).sort
    }

    /// The row is written without a condition: its key contains the event's random ID, so it
    /// replaces nothing.
    package func write(of chain: AuditChain) -> Write {
        var row = Self.row(
            entry, sequence: sequence, previous: previous, previousExpiresAt: previousExpiresAt,
            expiresAt: expiresAt, of: chain)
        row.attributes[Self.linkName] = .bytes(link)
        return .put(row, when: [])
    }

    package static let noLink = [UInt8](repeating: 0, count: 32)
    static let linkName = "link"

    private static func row(
        _ entry: AuditEntry, sequence: Int64, previous: [UInt8], previousExpiresAt: Instant,
        expiresAt: Instant, of chain: AuditChain
    ) -> Item {
        var attributes: Attributes = [
            "id": .text(entry.id.text), "event": .text(entry.event),
            "succeeded": .flag(entry.succeeded), "sequence": .integer(sequence),
            "previous": .bytes(previous),
        ]
        attributes.set("user", entry.user?.text)
        attributes.set("session", entry.session?.text)
        attributes.set("address", entry.address)
        attributes.set("userAgent", entry.userAgent)
        attributes.set("detail", entry.detail)
        attributes.set("by", entry.maker)
        attributes.set("reason", entry.reason)
        attributes.set("at", entry.at)
        attributes.set("previousExpiresAt", previousExpiresAt)
        return Item(
            StoreLayout.audit(chain.partition, sequence: sequence, id: entry.id), attributes,
            expiresAt: expiresAt)
    }
}

extension AuditRecord {
    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let id = UUIDText(parsing: try read.text("id")) else { throw read.unreadable("id") }
        var entry = AuditEntry(
            id: id, event: try read.text("event"), succeeded: try read.flag("succeeded"),
            at: try read.instant("at"))
        entry.user = try read.optionalText("user").flatMap(UserID.init(parsing:))
        entry.session = try read.optionalText("session").flatMap(SessionID.init(parsing:))
        entry.address = try read.optionalText("address")
        entry.userAgent = try read.optionalText("userAgent")
        entry.detail = try read.optionalText("detail")
        entry.maker = try read.optionalText("by")
        entry.reason = try read.optionalText("reason")
        guard let expiresAt = item.expiresAt else { throw read.unreadable("expiresAt") }
        self.entry = entry
        self.expiresAt = expiresAt
        sequence = try read.integer("sequence")
        previous = try read.bytes("previous")
        previousExpiresAt = try read.instant("previousExpiresAt")
        link = try read.bytes(Self.linkName)
    }
}

/// The MAC keys of the links. A function uses one of them; a verifier may have several: the keys of
/// previous master keys, and the `AUDIT_KEY` of functions without a master key.
package struct AuditKeys: Sendable {
    private let current: SecretBytes
    private let others: [SecretBytes]

    package init(_ current: SecretBytes, others: [SecretBytes] = []) {
        self.current = current
        self.others = others
    }

    func link(_ row: Item, of chain: AuditChain) -> [UInt8] {
        HMAC.sha256(Self.message(row, of: chain), key: current)
    }

    /// Whether the row's link was computed with one of the keys.
    package func isLinked(_ row: Item, in chain: AuditChain) -> Bool {
        guard case .bytes(let link)? = row.attributes[AuditRecord.linkName] else { return false }
        let message = Self.message(row, of: chain)
        return ([current] + others).contains { key in
            constantTimeEquals(link, HMAC.sha256(message, key: key))
        }
    }

    /// Everything in the row except the link. Each part is length-prefixed, so that no two rows
    /// have the same message.
    private static func message(_ row: Item, of chain: AuditChain) -> [UInt8] {
        var message = Array("latchkey audit 1\0".utf8)
        func add(_ bytes: some Collection<UInt8>) {
            append(bytes.count, byteCount: 4)
            message += bytes
        }
        func add(_ number: Int64) {
            append(8, byteCount: 4)
            append(Int(number), byteCount: 8)
        }
        func append(_ number: Int, byteCount: Int) {
            for place in (0..<byteCount).reversed() {
                message.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
            }
        }
        add(chain.name.utf8)
        add(row.key.sort.utf8)
        add(row.expiresAt?.milliseconds ?? 0)
        for (name, value) in row.attributes where name != AuditRecord.linkName {
            add(name.utf8)
            switch value {
            case .text(let text):
                add(CollectionOfOne(UInt8(ascii: "t")))
                add(text.utf8)
            case .integer(let number):
                add(CollectionOfOne(UInt8(ascii: "i")))
                add(number)
            case .bytes(let bytes):
                add(CollectionOfOne(UInt8(ascii: "b")))
                add(bytes)
            case .flag(let flag):
                add(CollectionOfOne(UInt8(ascii: "f")))
                add(flag ? 1 : 0)
            }
        }
        return message
    }
}
