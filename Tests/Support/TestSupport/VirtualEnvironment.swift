internal import Foundation

/// The Python packages that the tests use: what `make venv` installs, or where `LATCHKEY_VENV`
/// says.
package enum VirtualEnvironment {
    /// Of a program in it, such as `python` or `aws`.
    package static func program(_ name: String) -> String { "\(folder)/bin/\(name)" }

    private static var folder: String {
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_VENV"] { return path }
        return RepositoryRoot.url.appending(path: ".venv").path(percentEncoded: false)
    }
}
