/// The passwords that are guessed first (ASVS 5.0, 6.2.4): ten thousand of at least six characters
/// from leaked databases, in `common-passwords.txt`, one a line, sorted, in lower case.
package enum CommonPasswords {
    package static let charactersMin = 6

    /// - Parameter word: in lower case, without a line break.
    package static func contains(_ word: some Collection<UInt8>) -> Bool {
        let list = PackageResources.common_passwords_txt
        let newline = UInt8(ascii: "\n")
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
