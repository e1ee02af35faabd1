internal import Bytes

/// The ID of a trace: 128 bits, as `X-Amzn-Trace-Id` and `traceparent` carry them.
package struct TraceID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// A new one: the time, and 12 random bytes.
    package init(at seconds: Int64, random: [UInt8]) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        high = UInt64(UInt32(truncatingIfNeeded: seconds)) << 32 | number(random.prefix(4))
        low = number(random.dropFirst(4).prefix(8))
    }

    private init?(digits: some Collection<UInt8>) {
        guard digits.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, digit) in digits.enumerated() {
            guard let value = Hex.value(of: digit) else { return nil }
            if index < 16 {
                halves.0 = halves.0 << 4 | UInt64(value)
            } else {
                halves.1 = halves.1 << 4 | UInt64(value)
            }
        }
        (high, low) = halves
    }

    /// `Root=1-<8 digits>-<24 digits>;Parent=…;Sampled=…` (AWS X-Ray Developer Guide, "Tracing
    /// header").
    package init?(amazonHeader text: String) {
        guard let mark = text.utf8.firstOccurrence(of: "Root=") else { return nil }
        let root = text.utf8[mark.upperBound...].prefix { $0 != UInt8(ascii: ";") }
        self.init(root)
    }

    /// `00-<32 digits>-<16 digits>-<2 digits>` (Trace Context section 3.2).
    package init?(traceparent text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4 else { return nil }
        self.init(digits: parts[1])
    }

    /// `1-<8 digits>-<24 digits>`
    package init?(_ text: String) { self.init(text.utf8[...]) }

    private init?(_ root: Substring.UTF8View) {
        guard root.count == 35, root.starts(with: "1-".utf8) else { return nil }
        self.init(digits: root.dropFirst(2).filter { $0 != UInt8(ascii: "-") })
    }
}

extension TraceID: CustomStringConvertible {
    package var description: String {
        var digits = Array("1-".utf8)
        for index in 0..<32 {
            if index == 8 { digits.append(UInt8(ascii: "-")) }
            let half = index < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 15
            digits.append(value < 10 ? 0x30 + value : 0x57 + value)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
