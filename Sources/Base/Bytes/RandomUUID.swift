/// Version 4 UUIDs (RFC 9562 section 5.4).
package enum RandomUUID {
    /// The text form of 16 random bytes, in which the version and variant bits are set: lower case,
    /// with hyphens.
    package static func text(_ random: [UInt8]) -> String {
        precondition(random.count == 16)
        var bytes = random
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in Hex.encode(bytes).utf8.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(0x2D) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
