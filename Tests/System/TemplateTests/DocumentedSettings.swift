import Contracts
import Foundation

/// The environment variables that the functions read, found in their sources, to compare with
/// `docs/configuration.md`.
enum DocumentedSettings {
    private static let folders = [
        "Sources/Auth/Composition", "Sources/Runtime", "Sources/AWS/AWSClients",
        "Sources/Base/HTTPClient",
    ]
    /// Texts that look like names of variables but are not.
    private static let others: Set = ["SECRETS_MANAGER", "APPLE", "GOOGLE"]

    static func inSources() throws -> Set<String> {
        var names: Set<String> = []
        for file in try folders.flatMap(Repository.swiftFiles) {
            for line in try Repository.text(file).split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                names.formUnion(Self.names(in: String(line)))
            }
        }
        // A contract's own names for Latchkey's settings.
        for contract in Contract.all { names.formUnion(contract.settingNames.values) }
        return names.subtracting(others)
    }

    /// Finds `environment["X"]` and `read("X")` with any name, and all upper-case texts with an
    /// underscore.
    static func names(in line: String) -> Set<String> {
        let subscripted = /environment\["([A-Za-z_]+)"\]/
        let read = /[a-z]\("([^" ]+)"/
        let spelt = /"([^" ]*_[^" ]*)"/
        let found =
            line.matches(of: subscripted).map(\.1)
            + (line.matches(of: read).map(\.1) + line.matches(of: spelt).map(\.1)).filter {
                let fixed = $0.replacing(/\\\([A-Za-z.]+\)/, with: "")
                return fixed.wholeMatch(of: /_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_?/) != nil
                    && !$0.hasPrefix("_") && !$0.hasSuffix("_")
            }
        return Set(
            // A watchdog's variables are its protocol, not settings.
            found.map(String.init).filter { !$0.hasPrefix("Http_") }.flatMap(expanded))
    }

    private static func expanded(_ name: String) -> [String] {
        if name.contains("\\(prefix)") {
            return ["APPLE", "GOOGLE", "OIDC_<NAME>"].map {
                name.replacingOccurrences(of: "\\(prefix)", with: $0)
            }
        }
        if name.contains("\\(oidcPrefix)") {
            return [name.replacingOccurrences(of: "\\(oidcPrefix)", with: "OIDC_<NAME>")]
        }
        return [name.replacing(/\\\([A-Za-z.]+\)/, with: "<SERVICE>")]
    }

    /// The first column of the tables under "Environment variables".
    static func documented() throws -> [String] {
        let document = try Repository.text("docs/configuration.md")
        guard let start = document.firstRange(of: "\n## Environment variables\n") else { return [] }
        let rest = document[start.upperBound...]
        let section = rest.firstRange(of: "\n## ").map { rest[..<$0.lowerBound] } ?? rest
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { row in
                let cells = row.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: true)
                return cells[0].matches(of: /`([^`]+)`/).map { String($0.1) }
            }
    }
}
