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
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension Substring {
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
