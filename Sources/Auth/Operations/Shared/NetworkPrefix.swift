internal import Bytes

/// The part of an address that rate limits use. An IPv6 subscriber has at least 2^64 addresses, so
/// for IPv6 it is the /64 network; all notations of an address are equal.
package struct NetworkPrefix: Equatable, Sendable {
    package let text: String

    package init(of address: String) {
        let bytes = Array(address.utf8.prefix { $0 != UInt8(ascii: "%") })
        guard bytes.contains(colon) else {
            text = address
            return
        }
        guard let groups = Self.groups(bytes) else {
            text = address
            return
        }
        // IPv4-mapped addresses are all in one /64 network (RFC 4291 section 2.5.5.2), so use the
        // IPv4 address.
        if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            text = "\(groups[6] >> 8).\(groups[6] & 255).\(groups[7] >> 8).\(groups[7] & 255)"
        } else {
            text = groups[..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        }
    }

    /// The eight groups of RFC 4291 section 2.2; nil if it is not an IPv6 address.
    private static func groups(_ bytes: [UInt8]) -> [UInt16]? {
        var halves: [[UInt16]] = [[]]
        var position = 0
        if bytes.starts(with: [colon, colon]) {
            halves.append([])
            position = 2
        }
        while position < bytes.count {
            let end = bytes[position...].firstIndex(of: colon) ?? bytes.count
            let part = bytes[position..<end]
            if part.contains(UInt8(ascii: ".")) {
                guard end == bytes.count, let four = ipv4(part) else { return nil }
                halves[halves.count - 1] += [four[0] << 8 | four[1], four[2] << 8 | four[3]]
                position = end
                continue
            }
            guard (1...4).contains(part.count),
                let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
                part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-")
            else { return nil }
            halves[halves.count - 1].append(group)
            position = end
            guard position < bytes.count else { continue }
            position += 1
            guard position < bytes.count else { return nil }
            if bytes[position] == colon {
                guard halves.count == 1 else { return nil }
                halves.append([])
                position += 1
            }
        }
        if halves.count == 1 { return halves[0].count == 8 ? halves[0] : nil }
        let missing = 8 - halves[0].count - halves[1].count
        guard missing >= 1 else { return nil }
        return halves[0] + [UInt16](repeating: 0, count: missing) + halves[1]
    }

    private static func ipv4(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [UInt16] = []
        for part in parts {
            guard (1...3).contains(part.count),
                part.allSatisfy(\.isDigit),
                let number = UInt16(String(decoding: part, as: UTF8.self)), number < 256
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

private let colon = UInt8(ascii: ":")
