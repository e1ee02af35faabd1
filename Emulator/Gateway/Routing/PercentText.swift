internal import Bytes

/// Percent-decoding as the gateways do it: invalid escapes and invalid UTF-8 are kept as they are.
enum PercentText {
    /// `rawPath` of an HTTP API: decoded, except for `%25`.
    static func httpPath(_ text: String) -> String {
        decode(text, plusIsSpace: false, keepsPercent: true)
    }

    static func plain(_ text: String) -> String {
        decode(text, plusIsSpace: false, keepsPercent: false)
    }

    static func query(_ text: String) -> String {
        decode(text, plusIsSpace: true, keepsPercent: false)
    }

    private static func decode(_ text: String, plusIsSpace: Bool, keepsPercent: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else {
            return text
        }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x2B, plusIsSpace {
                result.append(0x20)
                index += 1
            } else if escape(bytes, index) != nil {
                index = appendRun(bytes, from: index, keepsPercent: keepsPercent, to: &result)
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escape(_ bytes: [UInt8], _ index: Int) -> UInt8? {
        guard index + 2 < bytes.count, bytes[index] == 0x25,
            let high = Hex.value(of: bytes[index + 1]), let low = Hex.value(of: bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Decodes adjacent escapes together, because a character can take up to four.
    private static func appendRun(
        _ bytes: [UInt8], from start: Int, keepsPercent: Bool, to result: inout [UInt8]
    ) -> Int {
        var decoded: [UInt8] = []
        var index = start
        while let byte = escape(bytes, index) {
            if byte == 0x25, keepsPercent { decoded += "%25".utf8 } else { decoded.append(byte) }
            index += 3
        }
        if String(validating: decoded, as: UTF8.self) != nil {
            result += decoded
        } else {
            result += bytes[start..<index]
        }
        return index
    }
}
