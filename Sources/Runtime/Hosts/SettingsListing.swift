internal import Bytes
internal import HTTPServer
internal import Synchronization

/// A function's report on its settings: secret variables, and problems.
package struct SettingsFindings: Sendable {
    package var secretNames: [String]
    package var problems: [String]

    package init(secretNames: [String], problems: [String]) {
        self.secretNames = secretNames
        self.problems = problems
    }
}

/// The text of `--settings`, which lists the variables that this function reads under its contract,
/// and their values. It is made by reading the settings, so it cannot be out of date.
package struct SettingsListing {
    let text: String

    /// Longer values are cut.
    private static let valueCharactersMax = 80
    /// Values are hidden if the name has one of these endings, or if the variable is read as a
    /// secret.
    private static let secretEndings = [
        "SECRET", "PASSWORD", "_PASSWORD_HASH", "TOKEN", "_KEY", "_KEY_PREVIOUS",
    ]
    private static let lineWidth = 78

    /// - Parameter describe: reads the function's own settings without opening anything.
    init(_ environment: Environment, _ describe: FunctionHost.Describe) {
        let record = Environment.Record()
        let recorded = environment.recorded(in: record)
        let findings = describe(recorded)
        _ = try? RuntimeSettings(recorded)
        _ = try? ServerSettings(recorded)
        // Names with lower-case letters are not settings but the watchdog's protocol.
        let names = Set(record.names.withLock { $0 })
            .filter { !$0.utf8.contains(where: \.isLowercase) }.sorted()
        let isSet = names.filter { environment[$0] != nil }
        let isNot = names.filter { environment[$0] == nil }
        var lines = ["Settings, which docs/configuration.md explains. Set now:"]
        for name in isSet {
            let isSecret =
                findings.secretNames.contains(where: name.isSame(as:)) || Self.isSecret(name)
            lines.append("  \(name)=\(isSecret ? "(secret)" : Self.shown(environment[name] ?? ""))")
        }
        if isSet.isEmpty { lines.append("  none") }
        if let file = StartSettings.unusedFile(environment) {
            lines.append(
                "\(file) in this folder, which serve reads, is not listed: add --env-file \(file)")
        }
        lines += ["Not set:"] + Self.wrapped(isNot)
        if !findings.problems.isEmpty {
            lines += ["To fix before it can start:"] + findings.problems.map { "  \($0)" }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    package static func isSecret(_ name: String) -> Bool {
        secretEndings.contains { name.hasSuffix($0) }
    }

    /// The value on one line, without the password of a URL.
    package static func shown(_ value: String) -> String {
        var text = String(
            String.UnicodeScalarView(value.unicodeScalars.map { $0.value < 0x20 ? "?" : $0 }))
        if let scheme = text.utf8.firstOccurrence(of: "://"),
            let at = text.utf8[scheme.upperBound...].lastIndex(of: UInt8(ascii: "@")),
            let colon = text.utf8[scheme.upperBound..<at].firstIndex(of: UInt8(ascii: ":"))
        {
            text.replaceSubrange(text.utf8.index(after: colon)..<at, with: "***")
        }
        guard text.unicodeScalars.count > valueCharactersMax else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(valueCharactersMax)))
            + "…"
    }

    private static func wrapped(_ names: [String]) -> [String] {
        var lines: [String] = []
        var line = " "
        for name in names {
            if line.utf8.count + 1 + name.utf8.count > lineWidth {
                lines.append(line)
                line = " "
            }
            line += " \(name)"
        }
        return lines + [line]
    }
}
