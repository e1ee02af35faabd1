import Foundation

/// The app's screen: a command on each line of the standard input, printed with its outcome.
package enum CommandLoop {
    /// A line that no command begins with.
    package struct UnknownCommand: Error {
        package init() {}
    }

    /// Returns at the end of the input, which is the end of the app.
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
