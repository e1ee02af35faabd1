internal import Bytes

/// The ID of a trace: 128 bits, as `X-Amzn-Trace-Id` and `traceparent` carry them.
package struct TraceID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// A new ID: the time, and 12 random bytes.
    package init(at seconds: Int64, random: [UInt8]) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        high = UInt64(UInt32(truncatingIfNeeded: seconds)) << 32 | number(random.prefix(4))
        low = number(random.dropFirst(4).prefix(8))
    }

    init(at seconds: Int64, _ random: UInt32, _ low: UInt64) {
        high = UInt64(UInt32(truncatingIfNeeded: seconds)) << 32 | UInt64(random)
        self.low = low
    }

    /// `Root=1-<8 digits>-<24 digits>;Parent=…;Sampled=…` (AWS X-Ray Developer Guide, "Tracing
    /// header").
    package init?(amazonHeader text: String) {
        // Usually the root is the first field.
        let start =
            text.utf8.starts(with: Self.root.utf8)
            ? Self.root.utf8.count
            : text.utf8.firstOccurrence(of: Self.root).map {
                text.utf8.distance(from: text.startIndex, to: $0.upperBound)
            }
        guard let start else { return nil }
        let bytes = text.utf8.span
        let end = start + Self.amazonForm.count
        guard end == bytes.count || end < bytes.count && bytes[end] == UInt8(ascii: ";") else {
            return nil
        }
        self.init(bytes.extracting(start..<end), form: Self.amazonForm)
    }

    /// `00-<32 digits>-<16 digits>-<2 digits>` (Trace Context section 3.2).
    package init?(traceparent text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4 else { return nil }
        let digits = Array(parts[1])
        self.init(digits.span, form: Self.digits)
    }

    package var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// 32 digits, as OpenTelemetry has them.
    package init?(hexadecimal text: String) { self.init(text.utf8.span, form: Self.digits) }

    package var hexadecimal: String {
        String(
            decoding: description.utf8.dropFirst(2).filter { $0 != UInt8(ascii: "-") },
            as: UTF8.self)
    }

    /// `1-<8 digits>-<24 digits>`
    package init?(_ text: String) { self.init(text.utf8.span, form: Self.amazonForm) }

    private static let root = "Root="
    private static let amazonForm = Array("1-00000000-000000000000000000000000".utf8)
    private static let digits = [UInt8](repeating: UInt8(ascii: "0"), count: 32)

    /// Parses a text of the same length as `form`, with a digit wherever `form` has a zero.
    private init?(_ text: borrowing Span<UInt8>, form: [UInt8]) {
        guard text.count == form.count else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in form.indices {
            if form[index] == UInt8(ascii: "0") {
                guard let value = Hex.value(of: text[index]) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(value)
            } else if form[index] != text[index] {
                return nil
            }
        }
        self.high = high
        self.low = low
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
