internal import Foundation

/// The executables under test: those in the directory `LATCHKEY_EXECUTABLES`, which `make test`
/// sets to the release ones; if it lacks one, the one beside the tests.
package enum BuiltExecutables {
    /// nil if `LATCHKEY_EXECUTABLES` is not set.
    package static let directory: String? = {
        let named = ProcessInfo.processInfo.environment["LATCHKEY_EXECUTABLES"] ?? ""
        return named.isEmpty ? nil : named
    }()

    /// Whether they are the static executables that are shipped. `scripts/test TARGET` makes debug
    /// builds, with one executable for all functions.
    package static let areShipped = directory.map { !$0.hasSuffix("/debug") } ?? false

    private static let besideTests = URL(filePath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().path(percentEncoded: false)

    package static func path(of name: String) -> String {
        if let directory, FileManager.default.isExecutableFile(atPath: "\(directory)/\(name)") {
            return "\(directory)/\(name)"
        }
        return "\(besideTests)/\(name)"
    }
}
