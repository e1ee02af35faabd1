internal import Bytes
internal import EmulatorBase
internal import JSON

/// `emulator shorten [FOLDER]`: writes each fixture in its shortest form.
package enum ShortenCommand {
    /// - Parameter isCheck: whether to change nothing, but to print the names of fixtures that can
    ///   be shorter, and to fail if there are any.
    package static func run(
        _ folder: String, isCheck: Bool, to output: ToolOutput
    ) -> Int32 {
        do throws(FixtureFailure) {
            guard Files.isDirectory(folder) else {
                throw FixtureFailure("\(folder) is not a directory of events")
            }
            let settings = try FixtureSettings(folder: folder)
            let fixtures = Fixture.Catalog(root: folder).fixtures
            guard !fixtures.isEmpty else { throw FixtureFailure("no event in \(folder)") }
            var longer = 0
            for fixture in fixtures {
                do throws(FixtureFailure) {
                    guard try fixture.shorten(settings, isCheck: isCheck) else { continue }
                } catch {
                    throw FixtureFailure("\(fixture.name): \(error)")
                }
                longer += 1
                output.print(fixture.name)
            }
            output.note("\(longer) of \(fixtures.count) \(isCheck ? "can be" : "are now") shorter")
            return isCheck && longer > 0 ? ExitStatus.failure : ExitStatus.success
        } catch {
            output.note("shorten: \(error)")
            return ExitStatus.usage
        }
    }
}

extension Fixture {
    /// Puts `given` and the response into the event's file, if that is JSON.
    ///
    /// - Returns: whether that changes a file.
    fileprivate func shorten(
        _ settings: FixtureSettings, isCheck: Bool
    ) throws(FixtureFailure) -> Bool {
        guard !isOfTable, let bytes = FixtureFiles.read("\(stem).json"),
            var file = EventFile(bytes)
        else { return false }
        file.given = try given
        if let response = try response(settings) {
            file.expect(response, settings.answers(of: try contract(settings)))
        }
        let text = Array(file.json.formatted.utf8)
        let parts = [givenPath, responsePath].filter(Files.exists)
        guard !parts.isEmpty || !file.hasOnlyTheEvent && text != bytes else { return false }
        if isCheck { return true }
        try FixtureFiles.write(text, to: "\(stem).json")
        for part in parts { Files.remove(part) }
        return true
    }
}
