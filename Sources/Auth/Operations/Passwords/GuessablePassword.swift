internal import AuthDomain
internal import Bytes
internal import CommonPasswords

/// Detects passwords that are easy to guess in spite of their length: common ones, even if repeated
/// or surrounded by digits and punctuation; passwords with few different characters; and passwords
/// derived from the account's own address.
struct GuessablePassword {
    private let bytes: [UInt8]

    private static let distinctBytesMin = 5

    init(_ password: String) { bytes = Array(password.lowercased().utf8) }

    func defect(for email: EmailAddress?) -> PasswordDefect? {
        if let email, isMade(of: email) { return .containsAddress }
        return isCommon ? .common : nil
    }

    private var isCommon: Bool {
        if Set(bytes).count < Self.distinctBytesMin { return true }
        let unit = repeated
        if unit.count < bytes.count, unit.count < CommonPasswords.charactersMin { return true }
        return CommonPasswords.contains(unit) || CommonPasswords.contains(core(of: unit))
    }

    /// The shortest text of which the password is a repetition; usually the password itself.
    private var repeated: ArraySlice<UInt8> {
        for length in 1..<max(bytes.count, 2) where bytes.count.isMultiple(of: length) {
            let isPeriod = bytes.indices.dropFirst(length).allSatisfy {
                bytes[$0] == bytes[$0 - length]
            }
            if isPeriod { return bytes[..<length] }
        }
        return bytes[...]
    }

    /// The text without digits and punctuation at both ends: `dragon` for `!!dragon2026`.
    private func core(of unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isLetter(_ byte: UInt8) -> Bool {
            byte.isLowercase || byte >= 0x80
        }
        guard let first = unit.firstIndex(where: isLetter),
            let last = unit.lastIndex(where: isLetter)
        else { return unit }
        return unit[first...last]
    }

    /// Whether the password contains the address, or consists mostly of the part before the `@`.
    private func isMade(of email: EmailAddress) -> Bool {
        [email.folded, email.localPart].contains { part in
            let part = Array(part.utf8)
            guard part.count >= 3, part.count * 2 >= bytes.count || part.contains(0x40) else {
                return false
            }
            return bytes.indices.contains { bytes[$0...].starts(with: part) }
        }
    }
}
