internal import Bytes
internal import EmulatorBase

/// A fixture as the text of its files.
package struct FixtureText: Sendable {
    package let name: String
    /// The file contents by the suffix of their names. The event is written last: parts without an
    /// event are not a fixture.
    private let parts: [(ending: String, text: String)]

    private static let endings = [".given.json", ".response.json", ".json"]
    private static let eventEnding = ".json"

    /// Writes the fixture in the short form if that is possible.
    package init(_ fixture: RecordedFixture, _ settings: FixtureSettings) {
        name = fixture.name
        let answer = settings.answers(of: fixture.contract ?? settings.contract)
            .abbreviated(fixture.response)
        let whole = EventFile(event: fixture.event, given: fixture.given, answer: answer).json
        if ShortEvent.isShort(fixture.event), answer != nil, let whole {
            parts = [(Self.eventEnding, whole.formatted)]
            return
        }
        let event = EventFile(event: fixture.event, given: fixture.given).json
        let members = [
            event == nil ? fixture.given : nil, fixture.response, event ?? fixture.event,
        ]
        parts = zip(Self.endings, members).compactMap { ending, json in
            json.map { (ending, $0.pretty) }
        }
    }

    /// Reads files that others have written, with the names in `files`.
    package init(
        name: String, files: [(name: String, text: String)]
    ) throws(FixtureFailure) {
        let words = name.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, Fixture.isLegalFunction(words[0]), Fixture.isLegalCase(words[1])
        else { throw FixtureFailure("\(name) is not a valid name of a fixture") }
        self.name = name
        parts = Self.endings.compactMap { ending in
            files.first { $0.name.isSame(as: name + ending) }.map { (ending, $0.text) }
        }
        guard parts.count == files.count, parts.last?.ending.isSame(as: Self.eventEnding) == true
        else { throw FixtureFailure("\(name) does not have the files of a fixture") }
    }

    /// The files by their names in a folder of events.
    package var files: [(name: String, text: String)] {
        parts.map { (name + $0.ending, $0.text) }
    }

    /// Writes the fixture under its name, or with a number appended if another fixture has that
    /// name. An identical fixture is not written again. Returns the name and the paths of the
    /// files.
    package func add(to folder: String) throws(FixtureFailure) -> (name: String, paths: [String]) {
        let name = RecordedFixture.numbered(name) { name in
            isSame(as: "\(folder)/\(name)") || !Self.isTaken("\(folder)/\(name)")
        }
        let stem = "\(folder)/\(name)"
        if !isSame(as: stem) { try write(to: stem) }
        return (name, parts.map { stem + $0.ending })
    }

    /// `stem` is the common path of the files, without suffixes.
    func write(to stem: String) throws(FixtureFailure) {
        for part in parts { try FixtureFiles.write(Array(part.text.utf8), to: stem + part.ending) }
    }

    private static func isTaken(_ stem: String) -> Bool {
        endings.contains { Files.exists(stem + $0) }
    }

    private func isSame(as stem: String) -> Bool {
        Self.endings.allSatisfy { ending in
            let text = parts.first { $0.ending.isSame(as: ending) }?.text
            return FixtureFiles.read(stem + ending) == text.map { Array($0.utf8) }
        }
    }
}
