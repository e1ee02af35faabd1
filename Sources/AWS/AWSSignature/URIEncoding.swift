internal import Bytes

/// Percent-encoding as in Signature Version 4, on bytes, because `%FF` is not UTF-8 but valid.
enum URIEncoding {
    /// Encodes everything except `A-Za-z0-9-_.~`.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Whether the byte needs no encoding.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F || byte == 0x2E || byte == 0x7E
    }

    /// A `%` without two hexadecimal digits and `+` are kept unchanged.
    static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var decoded: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == 0x25, position + 2 < bytes.count,
                let high = Hex.value(of: bytes[position + 1]),
                let low = Hex.value(of: bytes[position + 2])
            {
                decoded.append(high << 4 | low)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return decoded
    }
}
