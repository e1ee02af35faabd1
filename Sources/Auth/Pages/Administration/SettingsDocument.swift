internal import Bytes

/// The settings according to `docs/configuration.md`. That file is part of the executable, so that
/// the page and the documents always agree.
struct SettingsDocument {
    struct Setting {
        let name: String
        let standard: String
        let meaning: String
        var isSecret: Bool { meaning.utf8.contains(text: "a secret") }
    }

    struct Group {
        let title: String
        var settings: [Setting] = []
    }

    static let standard = SettingsDocument(
        String(decoding: PackageResources.configuration_md, as: UTF8.self))

    let groups: [Group]

    /// - Parameter text: tables of `variable`, `default` and `meaning`, below headings.
    init(_ text: String) {
        var groups: [Group] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                // A heading names in parentheses the functions that read the settings.
                let title = line.drop { $0 == "#" || $0 == " " }.prefix { $0 != "(" }
                groups.append(Group(title: Self.plain(title)))
            } else if line.hasPrefix("| `"), !groups.isEmpty {
                groups[groups.count - 1].settings += Self.settings(line)
            }
        }
        self.groups = groups.filter { !$0.settings.isEmpty }
    }

    /// A row can name several settings.
    private static func settings(_ row: Substring) -> [Setting] {
        let cells = row.dropFirst()
            .split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
        guard cells.count == 3, cells[2].contains(where: { $0 != " " }) else { return [] }
        let names = cells[0].split(separator: "`").map(String.init).filter {
            $0.utf8.first.map(\.isUppercase) == true
                && $0.utf8.allSatisfy { $0.isUppercase || $0.isDigit || $0 == UInt8(ascii: "_") }
        }
        return names.map { name in
            Setting(
                name: name, standard: plain(cells[1]),
                meaning: plain(cells[2].hasSuffix("|") ? cells[2].dropLast() : cells[2]))
        }
    }

    /// The text without the marks of code and links.
    private static func plain(_ text: Substring) -> String {
        var plain = ""
        var rest = text
        while let mark = rest.first {
            if mark == "`" || mark == "*" {
                rest = rest.dropFirst()
            } else if mark == "[", let end = rest.firstIndex(of: "]"),
                let close = rest[end...].firstIndex(of: ")"), rest[end...].hasPrefix("](")
            {
                plain += Self.plain(rest[..<end].dropFirst())
                rest = rest[rest.index(after: close)...]
            } else {
                plain.append(mark)
                rest = rest.dropFirst()
            }
        }
        return plain.split(separator: " ").joined(separator: " ")
    }
}
