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
            for fixture in fixtures where try fixture.shorten(settings, isCheck: isCheck) {
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
    /// Puts the response into the event's file, in the short form, unless the event is a complete
    /// one.
    ///
    /// - Returns: whether that changes a file.
    fileprivate func shorten(
        _ settings: FixtureSettings, isCheck: Bool
    ) throws(FixtureFailure) -> Bool {
        guard !stem.isEmpty, let bytes = FixtureFiles.read("\(stem).json"),
            var file = EventFile(bytes),
            ShortEvent.isShort(file.event)
        else { return false }
        let response = try response(settings)
        let answer = try response.flatMap { json throws(FixtureFailure) in
            let contract = try contract(settings)
            return settings.answers(of: contract).abbreviated(json)
        }
        if answer != nil { file.answer = answer }
        guard let text = file.json?.formatted else { return false }
        let hasFile = answer != nil && Files.exists(responsePath)
        guard hasFile || Array(text.utf8) != bytes else { return false }
        if isCheck { return true }
        try FixtureFiles.write(Array(text.utf8), to: "\(stem).json")
        if hasFile { Files.remove(responsePath) }
        return true
    }
}
