internal import Bytes

/// The forms of names that Apple issues. A person who types a name in another form has the wrong
/// name.
enum IssuedNames {
    private static let idCharacters = 10

    static func problems(_ file: SettingsFile) -> [String] {
        let ids = ["APPLE_TEAM_ID", "APPLE_KEY_ID"].filter { name in
            file.value(name).map { !isReference($0) && !isID($0) } ?? false
        }
        let clients = ["APPLE_CLIENT_IDS", "APPLE_WEB_CLIENT_ID"].filter { name in
            !file.list(name).allSatisfy { isReference($0) || isReverseDomain($0) }
        }
        return ids.map { "\($0) must be ten letters and digits, such as A1B2C3D4E5" }
            + clients.map {
                "\($0) must be like a domain in reverse, such as com.example.app, without the "
                    + "team's ID"
            }
    }

    /// Whether the text refers to a value elsewhere, such as in a file.
    private static func isReference(_ value: String) -> Bool {
        ["file:", "secretsmanager:", "ssm:"].contains { value.hasPrefix($0) }
    }

    private static func isID(_ value: String) -> Bool {
        value.utf8.count == idCharacters && value.utf8.allSatisfy(\.isLetterOrDigit)
    }

    /// Apple's pages show the ID of a team before the ID of an app, as in A1B2C3D4E5.com.example.
    private static func isTeam(_ label: Substring) -> Bool {
        isID(String(label)) && label == label.uppercased()
    }

    private static func isReverseDomain(_ value: String) -> Bool {
        let labels = value.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && !isTeam(labels[0])
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}
