internal import Foundation

/// The Python packages for tests: installed by `make venv`, or in the directory `LATCHKEY_VENV`.
package enum VirtualEnvironment {
    /// The path of a program in it, such as `python` or `aws`.
    package static func program(_ name: String) -> String { "\(folder)/bin/\(name)" }

    private static var folder: String {
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_VENV"] { return path }
        return RepositoryRoot.url.appending(path: ".venv").path(percentEncoded: false)
    }
}
