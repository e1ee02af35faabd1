import Foundation

/// The built executables: beside the tests, or in `LATCHKEY_EXECUTABLES`.
enum Executables {
    static func path(of function: String) -> String { "\(folder)/\(function)" }

    private static let named = ProcessInfo.processInfo.environment["LATCHKEY_EXECUTABLES"]

    static var areNamed: Bool { named != nil }

    private static var folder: String {
        if let named { return named }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .path(percentEncoded: false)
    }
}
