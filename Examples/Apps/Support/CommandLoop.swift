import Foundation

/// Takes the place of the app's screen: reads a command from each line of standard input, and
/// prints its outcome.
package enum CommandLoop {
    /// The line does not begin with a known command.
    package struct UnknownCommand: Error, CustomStringConvertible {
        package let description =
            "unknown command: see main.swift of the app, and Support/Disturbances.swift"
        package init() {}
    }

    /// Returns at the end of the input, when the app ends.
    @MainActor package static func run(
        _ perform: @MainActor (_ command: String, _ words: [String]) async throws -> Void
    ) async {
        while let line = readLine() {
            print("> \(line)")
            let words = line.split(separator: " ").map(String.init)
            do {
                try await perform(words.first ?? "", Array(words.dropFirst()))
            } catch {
                print(error)
            }
        }
    }
}
