/// Version 4 UUIDs (RFC 9562 section 5.4).
package enum RandomUUID {
    /// The text form of 16 random bytes, in which the version and variant bits are set: lower case,
    /// with hyphens.
    package static func text(_ random: [UInt8]) -> String {
        precondition(random.count == 16)
        var bytes = random
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            var count = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    unsafe text[count] = UInt8(ascii: "-")
                    count += 1
                }
                unsafe text[count] = Hex.digit(byte >> 4)
                unsafe text[count + 1] = Hex.digit(byte & 0x0F)
                count += 2
            }
            return count
        }
    }
}
