internal import Bytes
package import Cryptography

/// A version 4 UUID in its canonical form: lower case, hyphenated.
///
/// Identifiers become parts of store keys, object prefixes and role session names, so parsing
/// refuses `*`, `?`, `$`, `..` and `/`.
package struct UUIDText: Hashable, Sendable {
    package let text: String

    package init?(parsing raw: String) {
        let bytes = raw.utf8.span
        guard bytes.count == 36 else { return nil }
        for index in bytes.indices {
            let byte = bytes[index]
            let isValid =
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                case 14: byte == UInt8(ascii: "4")
                case 19: byte == 0x38 || byte == 0x39 || byte == 0x61 || byte == 0x62
                default: byte.isDigit || byte &- UInt8(ascii: "a") < 6
                }
            guard isValid else { return nil }
        }
        text = raw
    }

    /// Sets the version and variant bits of RFC 9562 section 5.4 on 16 bytes.
    package init(bytes: [UInt8]) { text = RandomUUID.text(bytes) }

    package init(random: RandomSource) {
        self.init(bytes: random.bytes(16))
    }

    /// The 16 bytes in the order of RFC 9562 section 4.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for character in text.utf8 where character != UInt8(ascii: "-") {
            let digit = character < UInt8(ascii: "a") ? character - 0x30 : character - 0x57
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}

package struct UserID: Hashable, Sendable {
    package let uuid: UUIDText
    package var text: String { uuid.text }

    package init(_ uuid: UUIDText) { self.uuid = uuid }

    package init(random: RandomSource) { self.init(UUIDText(random: random)) }

    package init?(parsing raw: String) {
        guard let uuid = UUIDText(parsing: raw) else { return nil }
        self.init(uuid)
    }
}

package struct SessionID: Hashable, Sendable {
    package let uuid: UUIDText
    package var text: String { uuid.text }

    package init(_ uuid: UUIDText) { self.uuid = uuid }

    package init(random: RandomSource) { self.init(UUIDText(random: random)) }

    package init?(parsing raw: String) {
        guard let uuid = UUIDText(parsing: raw) else { return nil }
        self.init(uuid)
    }
}
