internal import CCommonPasswords

/// The list of common passwords (ASVS 5.0, 6.2.4): ten thousand of at least six characters from
/// leaked databases, in `Sources/C/CCommonPasswords/common-passwords.txt`, one per line, sorted, in
/// lower case.
package enum CommonPasswords {
    package static let charactersMin = 6

    private static var list: UnsafeBufferPointer<UInt8> {
        var count = 0
        let bytes = latchkey_common_passwords(&count)
        return UnsafeBufferPointer(start: bytes, count: count)
    }

    /// - Parameter word: in lower case, without a line break.
    package static func contains(_ word: some Collection<UInt8>) -> Bool {
        let newline = UInt8(ascii: "\n")
        let list = list
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            let start = list[..<middle].lastIndex(of: newline).map { $0 + 1 } ?? 0
            let end = list[middle...].firstIndex(of: newline) ?? list.count
            let line = list[start..<end]
            if line.elementsEqual(word) { return true }
            if line.lexicographicallyPrecedes(word) { low = end + 1 } else { high = start }
        }
        return false
    }
}
