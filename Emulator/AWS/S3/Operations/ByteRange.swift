internal import Bytes

/// `Range: bytes=…` for an object of known size. Only one range is supported; an invalid header is
/// ignored.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    init(_ header: String?, of byteCount: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes=") else { return }
        let ends = header.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1])
        else { return }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let count?):
            let start = max(0, byteCount - count)
            self = count == 0 || byteCount == 0 ? .unsatisfiable : .part(start..<byteCount)
        case (let start?, let last):
            if let last, last < start { return }
            guard start < byteCount else {
                self = .unsatisfiable
                return
            }
            self = .part(start..<(min(last ?? byteCount, byteCount - 1) + 1))
        }
    }

    /// Returns `.some(nil)` for an empty text, and nil for a text that is not a number.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy(\.isDigit), text.utf8.count <= 18 else {
            return nil
        }
        return .some(Int(text))
    }
}
