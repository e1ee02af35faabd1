internal import Bytes
package import Cryptography
internal import EmulatorBase
package import Time

/// The request and trace IDs of the gateways.
package enum RequestIDs {
    /// 16 characters that end with `=`, such as `JKJaXmPLvHcESHA=`.
    static func short(_ random: RandomSource) -> String { Base64.encode(random.bytes(11)) }

    /// A version 4 UUID.
    package static func uuid(_ random: RandomSource) -> String { RandomUUID.text(random.bytes(16)) }

    /// A new `Root`, or the client's with a new `Parent`.
    package static func trace(continuing given: String?, now: Instant, random: RandomSource)
        -> String
    {
        let parts = given.map { $0.pieces(at: ";").map(\.trimmingBlanks) } ?? []
        guard let root = parts.first(where: { $0.has(prefix: "Root=") && isRoot($0) }) else {
            let epoch = UInt32(truncatingIfNeeded: now.seconds)
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> UInt32(24 - $0 * 8)) }
            return "Root=1-\(Hex.encode(bytes))-\(Hex.encode(random.bytes(12)))"
        }
        let sampled = parts.first { $0.isSame(as: "Sampled=1") } ?? "Sampled=0"
        return "\(root);Parent=\(Hex.encode(random.bytes(8)));\(sampled)"
    }

    /// `Root=1-<8 hex>-<24 hex>`
    private static func isRoot(_ text: String) -> Bool {
        let parts = text.dropping(prefix: "Root=").pieces(at: "-")
        func isHex(_ text: String, _ count: Int) -> Bool {
            text.utf8.count == count && text.utf8.allSatisfy { Hex.value(of: $0) != nil }
        }
        return parts.count == 3 && parts[0].isSame(as: "1") && isHex(parts[1], 8)
            && isHex(parts[2], 24)
    }
}
