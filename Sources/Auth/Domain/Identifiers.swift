internal import Bytes
package import Cryptography

/// A version 4 UUID in its canonical form: lower case, hyphenated.
///
/// Identifiers become parts of store keys, object prefixes and role session names, so parsing
/// refuses `*`, `?`, `$`, `..` and `/`.
package struct UUIDText: Hashable, Sendable {
    package let text: String

    package init?(parsing raw: String) {
        let bytes = Array(raw.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            case 14:
                guard byte == UInt8(ascii: "4") else { return nil }
            case 19:
                guard "89ab".utf8.contains(byte) else { return nil }
            default:
                let isDigit = byte.isDigit
                guard isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) else {
                    return nil
                }
            }
        }
        text = raw
    }

    /// Sets the version and variant bits of RFC 9562 section 5.4 on 16 bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16)
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var characters: [UInt8] = []
        characters.reserveCapacity(36)
        let digits = Array("0123456789abcdef".utf8)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { characters.append(UInt8(ascii: "-")) }
            characters.append(digits[Int(byte >> 4)])
            characters.append(digits[Int(byte & 15)])
        }
        text = String(decoding: characters, as: UTF8.self)
    }

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
