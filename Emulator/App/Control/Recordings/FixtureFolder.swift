internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorReplay
internal import HTTP
internal import JSON
internal import Synchronization
internal import Time

/// The folder of events of `--events`. The dashboard stores fixtures in it and replays its
/// fixtures. Names come from requests, so they must be names of fixtures: no path can lead out of
/// the folder.
struct FixtureFolder: Sendable {
    let path: String
    /// The options of the running functions.
    let options: ServeOptions

    /// Adds a fixture under its name, or with a number appended, and `settings.json` to a folder
    /// that has none.
    func add(_ fixture: FixtureText, settings: String) throws(RecordingRefusal) -> JSON {
        let file = "\(path)/\(FixtureSettings.fileName)"
        do throws(FileFailure) {
            if !Files.exists(file) { try Files.write(Array(settings.utf8), to: file) }
        } catch {
            throw RecordingRefusal(status: 409, "Not saved: \(file): \(error).")
        }
        do throws(FixtureFailure) {
            let checked = try FixtureText(name: fixture.name, files: [fixture.file])
            let (name, file) = try checked.add(to: path)
            return ["name": .string(name), "path": .string(file)]
        } catch {
            throw RecordingRefusal(status: 409, "Not saved: \(error).")
        }
    }

    /// Replays one fixture of the folder, with a separate store, so that nothing in the emulator
    /// changes.
    ///
    /// - Parameter name: `FUNCTION/CASE`.
    func replay(_ name: String, transport: HTTPTransport) throws(RecordingRefusal) -> JSON {
        let words = name.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, Fixture.isLegalFunction(words[0]), Fixture.isLegalCase(words[1]),
            Files.exists("\(path)/\(name).json")
        else { throw RecordingRefusal(status: 404, "Not found: \(path) has no such fixture.") }
        var replay = ReplayCommand.Options(
            events: path, executables: options.executables, only: name, jobs: 1)
        do {
            replay.template = try TemplateReplay(
                options.templates, parameters: options.parameters,
                executables: options.executables, isStrict: options.isStrict)
        } catch {
            throw RecordingRefusal(status: 409, "Not replayed: \(error)")
        }
        let lines = Mutex<[String]>([])
        let output = ToolOutput(
            print: { line in lines.withLock { $0.append(line) } },
            note: { line in lines.withLock { $0.append(line) } }, progress: nil)
        let status = ReplayCommand.run(
            replay, to: output, transport: transport, clock: .system, random: .system)
        return [
            "passed": .bool(status == ExitStatus.success),
            "text": .string(lines.withLock { $0.joined(separator: "\n") }),
        ]
    }
}
