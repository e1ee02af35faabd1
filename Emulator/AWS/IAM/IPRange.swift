internal import Bytes

/// An address as 4 or 16 bytes.
package struct IPAddress: Sendable, Equatable {
    package let bytes: [UInt8]

    init?(_ text: String) {
        guard let bytes = text.utf8.contains(UInt8(ascii: ":")) ? Self.six(text) : Self.four(text)
        else { return nil }
        self.bytes = bytes
    }

    /// `127.0.0.1`
    package init?(four text: String) {
        guard let bytes = Self.four(text) else { return nil }
        self.bytes = bytes
    }

    private static func four(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var number: Int?
        for byte in text.utf8 {
            if byte.isDigit {
                let next = (number ?? 0) * 10 + Int(byte - 0x30)
                guard next <= 255 else { return nil }
                number = next
            } else {
                guard byte == UInt8(ascii: "."), bytes.count < 3, let part = number else {
                    return nil
                }
                bytes.append(UInt8(part))
                number = nil
            }
        }
        guard bytes.count == 3, let last = number else { return nil }
        return bytes + [UInt8(last)]
    }

    // RFC 4291 section 2.2: eight groups, one run of zeros as `::`, the last 32 bits optionally as
    // IPv4.
    private static func six(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 45 else { return nil }
        let utf8 = Array(text.utf8)
        var halves: [ArraySlice<UInt8>] = [utf8[...]]
        if let gap = utf8.indices.dropLast().first(where: {
            utf8[$0] == UInt8(ascii: ":") && utf8[$0 + 1] == UInt8(ascii: ":")
        }) {
            halves = [utf8[..<gap], utf8[(gap + 2)...]]
        }
        var read: [[UInt8]] = []
        for half in halves {
            guard let bytes = groups(half) else { return nil }
            read.append(bytes)
        }
        if read.count == 1 { return read[0].count == 16 ? read[0] : nil }
        let missing = 16 - read[0].count - read[1].count
        guard missing >= 2 else { return nil }
        return read[0] + [UInt8](repeating: 0, count: missing) + read[1]
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let word = String(decoding: part, as: UTF8.self)
            if index == parts.count - 1, word.utf8.contains(UInt8(ascii: ".")) {
                guard let last = four(word) else { return nil }
                bytes += last
            } else {
                let isHex = word.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != 0x2D }
                guard (1...4).contains(word.utf8.count), isHex, let group = UInt16(word, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes
    }
}

/// `203.0.113.0/24`; a single address without a prefix length.
struct IPRange: Sendable, Equatable {
    private let address: IPAddress
    private let bitCount: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let bitsMax = address.bytes.count * 8
        let bits = parts.count == 2 ? Int(parts[1]) : bitsMax
        guard let bits, (0...bitsMax).contains(bits) else { return nil }
        self.address = address
        bitCount = bits
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        var bits = bitCount
        for (left, right) in zip(address.bytes, other.bytes) where bits > 0 {
            let mask = bits >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(bits))
            guard left & mask == right & mask else { return false }
            bits -= 8
        }
        return true
    }
}
