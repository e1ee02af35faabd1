internal import Bytes
internal import EmulatorBase

/// Content-Transfer-Encoding (RFC 2045 section 6). Decoding is lenient, so that the mailbox can
/// show any message.
enum TransferEncoding: Sendable {
    case identity, base64, quotedPrintable

    init(_ name: String?) {
        switch name?.trimmed.asciiLowercased {
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: self = .identity
        }
    }

    func decode(_ body: ArraySlice<UInt8>) -> [UInt8] {
        switch self {
        case .identity: Array(body)
        case .base64: Self.decodeBase64(body)
        case .quotedPrintable: Self.decodeQuotedPrintable(body)
        }
    }

    /// Bytes outside the alphabet are skipped; the first `=` ends the data.
    static func decodeBase64(_ body: some Sequence<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in body {
            if byte == UInt8(ascii: "=") { break }
            guard let value = value(base64: byte) else { continue }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func value(base64 byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Removes spaces at line ends (RFC 2045 section 6.7); an `=` that is not an escape is kept.
    static func decodeQuotedPrintable(_ body: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(body.count)
        /// The length of `decoded` without trailing unescaped spaces.
        var solid = 0
        var at = body.startIndex
        while at < body.endIndex {
            let byte = body[at]
            if byte == UInt8(ascii: "=") {
                if let end = softBreak(body, at + 1) {
                    at = end
                    solid = decoded.count
                    continue
                }
                if at + 2 < body.endIndex, let high = Hex.value(of: body[at + 1]),
                    let low = Hex.value(of: body[at + 2])
                {
                    decoded.append(high << 4 | low)
                    at += 3
                    solid = decoded.count
                    continue
                }
            }
            if byte == 0x0A || byte == 0x0D { decoded.removeSubrange(solid...) }
            decoded.append(byte)
            if !byte.isBlank { solid = decoded.count }
            at += 1
        }
        return decoded
    }

    /// The start of the next line if only white space follows `at`.
    private static func softBreak(_ body: ArraySlice<UInt8>, _ start: Int) -> Int? {
        var at = start
        while at < body.endIndex, body[at].isBlank { at += 1 }
        if at < body.endIndex, body[at] == 0x0D { at += 1 }
        guard at < body.endIndex else { return at }
        return body[at] == 0x0A ? at + 1 : nil
    }
}
