/// Whether two byte strings are equal, in a time that depends on their lengths alone.
///
/// The lengths are not secret: they are those of digests, tags and tokens of fixed form.
@inline(never)
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
}

extension String {
    /// Equality of UTF-8 bytes, which is what protocols mean.
    ///
    /// `==` on text is canonical equivalence: it calls U+212A, the Kelvin sign, equal to `K`.
    package func isSame(as other: String) -> Bool {
        // The lengths first: most texts differ there, and a span of a short string is a copy.
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8.span, other.utf8.span)
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

extension String {
    /// Whether these bytes stand somewhere in the text. (`contains` compares characters, which
    /// costs a hundred times as much, and finds no "a" before a combining accent.)
    package func contains(utf8 part: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { bytes in unsafe bytes.contains(part) }
    }
}

extension [UInt8] {
    package func contains(utf8 part: StaticString) -> Bool {
        unsafe withUnsafeBufferPointer { bytes in unsafe bytes.contains(part) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func contains(_ part: StaticString) -> Bool {
        part.withUTF8Buffer { part in
            guard let first = unsafe part.first else { return true }
            guard part.count <= count else { return false }
            for start in 0...(count - part.count) where unsafe self[start] == first {
                var length = 1
                while length < part.count, unsafe self[start + length] == part[length] {
                    length += 1
                }
                if length == part.count { return true }
            }
            return false
        }
    }
}

extension Substring {
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
