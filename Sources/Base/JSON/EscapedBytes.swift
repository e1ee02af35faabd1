extension UInt8 {
    /// Whether the byte must be escaped in a string (RFC 8259 section 7).
    fileprivate var isEscaped: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
    }
}

extension Span<UInt8> {
    /// The index of the next quotation mark, backslash or control character, or the end.
    func firstEscaped(from start: Int) -> Int {
        var position = start
        while position + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(
                fromByteOffset: position, as: UInt64.self)
            guard !word.hasEscapedByte else { break }
            position += 8
        }
        while position < count, !self[position].isEscaped { position += 1 }
        return position
    }
}

extension UInt64 {
    /// Whether one of the eight bytes must be escaped. Sean Anderson, "Bit Twiddling Hacks",
    /// "Determine if a word has a byte less than n" and "… equal to n".
    fileprivate var hasEscapedByte: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        func zeroBytes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        let control = (self &- ones &* 0x20) & ~self
        let quote = zeroBytes(self ^ ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = zeroBytes(self ^ ones &* UInt64(UInt8(ascii: "\\")))
        return (control | quote | backslash) & (ones &* 0x80) != 0
    }
}
