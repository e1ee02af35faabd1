/// Compares two byte strings in a time that depends only on their lengths.
///
/// The lengths are not secret: the operands are digests, tags and tokens of a fixed format.
@inline(never)
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
}

extension String {
    /// Equality of the UTF-8 bytes, which is what protocols compare.
    ///
    /// `==` on `String` is canonical equivalence: it treats U+212A (Kelvin sign) as equal to `K`.
    package func isSame(as other: String) -> Bool {
        // Compare the lengths first: most strings differ there, and the span of a short string is a
        // copy.
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8.span, other.utf8.span)
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

extension String {
    /// Whether the text contains these bytes. `contains` on `String` compares characters, which is
    /// a hundred times slower and does not find an "a" that a combining accent follows.
    package func contains(utf8 part: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            part.withUTF8Buffer { part in unsafe bytes.offset(of: part) != nil }
        }
    }
}

extension [UInt8] {
    package func contains(utf8 part: StaticString) -> Bool {
        unsafe withUnsafeBufferPointer { bytes in
            part.withUTF8Buffer { part in unsafe bytes.offset(of: part) != nil }
        }
    }
}

extension Substring {
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
