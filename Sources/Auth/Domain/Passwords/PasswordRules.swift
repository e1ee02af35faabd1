/// The rules for new passwords. Signing in does not apply them, so an older password remains valid.
package struct PasswordRules: Equatable, Sendable {
    package enum Character: String, CaseIterable, Sendable { case uppercase, number, special }

    package var charactersMin: Int
    /// The kinds of characters that a password must contain. NIST SP 800-63B-4 section 3.1.1.2
    /// forbids such rules, so they are set only where a contract's specification requires them.
    package var required: [Character]
    /// Whether common passwords, and passwords derived from the account's own address, are refused
    /// (ASVS 5.0, 6.2.4 and 6.2.11).
    package var refusesCommon: Bool

    package init(charactersMin: Int, required: [Character] = [], refusesCommon: Bool = false) {
        self.charactersMin = charactersMin
        self.required = required
        self.refusesCommon = refusesCommon
    }

    /// The first rule that a password breaks. Common passwords are checked elsewhere.
    package func defect(of password: String) -> PasswordDefect? {
        if password.utf8.count > Self.bytesMax { return .tooLong(bytesMax: Self.bytesMax) }
        if password.unicodeScalars.count < charactersMin {
            return .tooShort(charactersMin: charactersMin)
        }
        return required.first { !Self.has($0, password) }.map { .lacks($0) }
    }

    /// Passwords are never truncated (ASVS 5.0, 6.2.8), so their length needs a limit.
    package static let bytesMax = 1024

    private static func has(_ character: Character, _ password: String) -> Bool {
        password.unicodeScalars.contains { scalar in
            switch character {
            case .uppercase: scalar.properties.isUppercase
            case .number: scalar.properties.numericType == .decimal
            case .special:
                !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
                    && !scalar.properties.isWhitespace
            }
        }
    }
}

/// Why a new password is refused.
package enum PasswordDefect: Equatable, Sendable {
    case tooShort(charactersMin: Int)
    case tooLong(bytesMax: Int)
    case lacks(PasswordRules.Character)
    /// The password is in the list of common passwords.
    case common
    /// The password is known from a data breach.
    case breached
    /// The password is derived from the account's own e-mail address.
    case containsAddress
}
