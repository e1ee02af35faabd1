internal import Bytes
internal import EmulatorBase

/// A fixture as the text of its file.
package struct FixtureText: Sendable {
    package let name: String
    private let text: String

    private static let ending = ".json"

    /// Writes the fixture in its shortest form.
    package init(_ fixture: RecordedFixture, _ settings: FixtureSettings) {
        name = fixture.name
        var file = EventFile(event: fixture.event, given: fixture.given)
        file.expect(
            fixture.response, settings.answers(of: fixture.contract ?? settings.contract))
        text = file.json.formatted
    }

    /// Reads a file that others have written.
    package init(
        name: String, files: [(name: String, text: String)]
    ) throws(FixtureFailure) {
        let words = name.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, Fixture.isLegalFunction(words[0]), Fixture.isLegalCase(words[1])
        else { throw FixtureFailure("\(name) is not a valid name of a fixture") }
        guard files.count == 1, files[0].name.isSame(as: name + Self.ending) else {
            throw FixtureFailure("\(name) does not have the file of a fixture")
        }
        self.name = name
        text = files[0].text
    }

    /// The file with its name in a folder of events.
    package var file: (name: String, text: String) { (name + Self.ending, text) }

    /// Writes the fixture under its name, or with a number appended if another fixture has that
    /// name. An identical fixture is not written again. Returns the name and the path of the file.
    package func add(to folder: String) throws(FixtureFailure) -> (name: String, path: String) {
        let name = RecordedFixture.numbered(name) { name in
            isSame(as: "\(folder)/\(name)") || !Self.isTaken("\(folder)/\(name)")
        }
        let stem = "\(folder)/\(name)"
        if !isSame(as: stem) { try write(to: stem) }
        return (name, stem + Self.ending)
    }

    /// `stem` is the path of the file without its suffix.
    func write(to stem: String) throws(FixtureFailure) {
        try FixtureFiles.write(Array(text.utf8), to: stem + Self.ending)
    }

    /// The other parts of a longer form would be used with this event.
    private static func isTaken(_ stem: String) -> Bool {
        [ending, ".given.json", ".response.json"].contains { Files.exists(stem + $0) }
    }

    private func isSame(as stem: String) -> Bool {
        FixtureFiles.read(stem + Self.ending) == Array(text.utf8)
    }
}
