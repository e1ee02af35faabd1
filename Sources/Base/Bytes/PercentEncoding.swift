/// Percent-encoding (RFC 3986 section 2.1) and `application/x-www-form-urlencoded`.
package enum PercentEncoding {
    /// Encodes everything except the unreserved characters of RFC 3986 as `%XX` in upper case, as
    /// Signature Version 4 requires.
    package static func encode(_ text: String) -> String { encode(text, keepingSlash: false) }

    /// Encodes a path like `encode`, but keeps its slashes.
    package static func encodePath(_ path: String) -> String { encode(path, keepingSlash: true) }

    /// The decoded text; nil for a truncated escape or a result that is not UTF-8.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        decode(String(text), plusIsSpace: plusIsSpace)
    }

    package static func decode(_ text: String, plusIsSpace: Bool) -> String? {
        let isPlain = !text.utf8.contains {
            $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+"))
        }
        guard !isPlain else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hex.value(of:)),
                    let low = rest.popFirst().flatMap(Hex.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(checkingUTF8: bytes.span)
    }

    /// `application/x-www-form-urlencoded`, with `%20` for a space, because every parser accepts
    /// that and query strings need it.
    package static func form(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    /// The pairs of a form or a query, in order and with duplicates; nil for invalid escapes or
    /// more than `pairsMax` pairs. A name without `=` has an empty value; empty pairs are skipped.
    package static func parseForm(_ text: String, pairsMax: Int) -> [(String, String)]? {
        var pairs: [(String, String)] = []
        for piece in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = piece.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < pairsMax, let first = halves.first,
                let name = decode(Substring(first), plusIsSpace: true),
                let value = decode(
                    Substring(halves.count == 2 ? halves[1] : ""[...].utf8), plusIsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encode(_ text: String, keepingSlash: Bool) -> String {
        func isKept(_ byte: UInt8) -> Bool {
            isUnreserved(byte) || (keepingSlash && byte == UInt8(ascii: "/"))
        }
        guard !text.utf8.allSatisfy(isKept) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
