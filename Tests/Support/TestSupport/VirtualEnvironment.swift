internal import Foundation

/// The Python packages for tests: installed by `make venv`, or in the directory `LATCHKEY_VENV`.
package enum VirtualEnvironment {
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    package static var programFolder: String {
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_VENV"] { return "\(path)/bin" }
        return RepositoryRoot.url.appending(path: ".venv/bin").path(percentEncoded: false)
    }

    /// The path of a program in it, such as `python` or `aws`.
    package static func program(_ name: String) throws(Missing) -> String {
        let path = "\(programFolder)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(description: "there is no \(path): run make venv")
        }
        return path
    }
}
