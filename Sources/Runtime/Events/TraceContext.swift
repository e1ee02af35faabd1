internal import Bytes

/// The trace that a request belongs to, in the forms of W3C Trace Context and of AWS X-Ray.
///
/// A function exports no spans, so it forwards the span of its caller: its own calls become
/// children of that span.
package struct TraceContext: Sendable, Equatable {
    /// The trace ID for log lines, in the form of the host's tracing system.
    package let id: String
    private let trace: String
    private let span: String
    private let isSampled: Bool
    /// The AWS header as received, if there was one: AWS uses other fields itself, such as
    /// `Lineage` to detect loops.
    private let received: String?

    /// Trace Context section 3.2.
    package var traceparent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    /// "AWS X-Ray tracing header" of the X-Ray developer guide.
    package var amazonHeader: String {
        received
            ?? "Root=1-\(trace.prefix(8))-\(trace.dropFirst(8));Parent=\(span);"
            + "Sampled=\(isSampled ? 1 : 0)"
    }

    private static let traceCharacters = 32
    private static let spanCharacters = 16
    private static let amazonBytesMax = 1024

    private init(trace: String, span: String, isSampled: Bool) {
        id = trace
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        received = nil
    }

    /// Reads the header `traceparent`; nil for anything else (section 4.3).
    package init?(traceparent text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.hex(parts[0], 2), version != "ff",
            // Fields added by a later version are ignored.
            version != "00" || parts.count == 4,
            let trace = Self.hex(parts[1], Self.traceCharacters), !Self.isZero(trace),
            let span = Self.hex(parts[2], Self.spanCharacters), !Self.isZero(span),
            let flags = Self.hex(parts[3], 2).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    /// Reads `X-Amzn-Trace-Id` with a root; nil for anything else.
    package init?(amazonHeader text: String) {
        guard text.utf8.count <= Self.amazonBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) || $0 == 0x20 })
        else { return nil }
        var fields: [String: String] = [:]
        for field in text.split(separator: ";") {
            let parts = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[String(parts[0])] = String(parts[1])
        }
        let root = (fields["Root"] ?? "").utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard root.count == 3, root[0].elementsEqual("1".utf8), let time = Self.hex(root[1], 8),
            let rest = Self.hex(root[2], 24), !Self.isZero(time + rest)
        else { return nil }
        let parent = fields["Parent"].flatMap { Self.hex($0.utf8[...], Self.spanCharacters) }
        id = "1-\(time)-\(rest)"
        trace = time + rest
        // A load balancer sends no parent.
        span = parent ?? Self.span(of: trace)
        isSampled = fields["Sampled"] == "1"
        received = text
    }

    /// A new trace whose ID has the digits of a request's ID; nil if that ID is not a UUID.
    init?(newFrom requestID: String) {
        let digits = requestID.utf8.filter { $0 != UInt8(ascii: "-") }
        guard let trace = Self.hex(digits, Self.traceCharacters) else { return nil }
        self.init(trace: trace, span: Self.span(of: trace), isSampled: false)
    }

    /// The span ID of a trace in which no span is known.
    private static func span(of trace: String) -> String {
        String(decoding: trace.utf8.suffix(spanCharacters), as: UTF8.self)
    }

    /// The text if it consists of exactly `count` lower-case hexadecimal digits.
    private static func hex(_ bytes: some Collection<UInt8>, _ count: Int) -> String? {
        guard bytes.count == count, bytes.allSatisfy({ $0.isDigit || $0 &- 0x61 < 6 })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isZero(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }
}
