internal import EmulatorBase

/// A folder to which live invocations are recorded.
package final class RecordingFolder: Sendable {
    private let path: String
    private let recorder: Recorder
    private let settings: FixtureSettings

    /// Uses the settings of the folder.
    package init(_ path: String, _ recorder: Recorder, _ settings: FixtureSettings) {
        self.path = path
        self.recorder = recorder
        self.settings = settings
    }

    package func steps(
        of fixture: RecordedFixture, repeating numbers: [Int]
    ) -> [RecordedFixture.Step] {
        recorder.steps(of: fixture, repeating: numbers)
    }

    package func restart() { recorder.restart() }

    /// Writes the fixture of an invocation, and returns the result in one line.
    ///
    /// - Parameters:
    ///   - number: the invocation's number in ``RecordedFixture/steps``.
    ///   - note: the text about the fixture in that line.
    package func record(
        function: String, event: [UInt8], response: [UInt8], number: Int? = nil,
        note: (RecordedFixture) -> String? = { _ in nil }
    ) -> String {
        let recording = recorder.record(
            function: function, event: event, response: response, number: number
        ) { Files.exists("\(path)/\($0).json") }
        switch recording {
        case .leftOut(let reason): return "not recorded: \(function): \(reason)"
        case .duplicate(let name): return "recorded before: \(name)"
        case .fixture(let fixture):
            do throws(FixtureFailure) {
                try FixtureText(fixture, settings).write(to: "\(path)/\(fixture.name)")
                return "recorded: \(fixture.name)" + (note(fixture).map { ". Note: \($0)" } ?? "")
            } catch {
                return "not recorded: \(error)"
            }
        }
    }
}
