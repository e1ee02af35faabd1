import Foundation

/// The built executables: beside the tests, or in `LATCHKEY_EXECUTABLES`.
enum Executables {
    static func path(of function: String) -> String { "\(folder)/\(function)" }

    private static var folder: String {
        if let folder = ProcessInfo.processInfo.environment["LATCHKEY_EXECUTABLES"] {
            return folder
        }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .path(percentEncoded: false)
    }
}
