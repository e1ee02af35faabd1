internal import Bytes
internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorReplay
internal import HTTP
internal import JSON

extension Command {
    static let record = Command(
        name: "record", operands: "[REQUEST-ID | last]",
        summary: "Makes a fixture of an invocation that has ended, as 'serve --record' does.",
        details: """
            REQUEST-ID is the one in the function's START line in the log, in /_emulator/invocations
            and in a trace; the default is the last invocation. Prints the paths of the files. A
            folder without settings.json gets one with the settings of the functions. No file is
            overwritten: if the name is taken, a number is appended; an identical fixture is not
            written again.
            The last 500 invocations are kept. Those that the fixture depends on, such as the
            sign-in of a refresh, become its steps if they are among them. An invocation with a
            secret of unknown origin, or without an answer, is not recorded.
            A replay begins with empty tables and buckets. With --steps, earlier invocations that
            wrote to the same ones become steps, too, if they can be repeated. Example:

              emulator record --steps
            """,
        flags: [
            Flag("--into", "DIR", "The directory of events. Default: Events"),
            Flag("--steps", nil, "Add steps for earlier writes to the same tables and buckets."),
            url,
        ]
    ) { arguments, console in
        let id = try arguments.operands(["REQUEST-ID"], optional: 1).first ?? "last"
        let folder = try eventsFolder(arguments.text("--into") ?? "Events")
        let control = try ControlClient(arguments)
        let query = arguments.has("--steps") ? "?steps=all" : ""
        let path = "\(RecordingAPI.place)/\(PercentEncoding.encode(id))\(query)"
        let files = try FixtureSettings.contractFiles(in: folder)
        let answer =
            files.isEmpty
            ? try control.ask(.get, path) : try control.ask(.post, path, .object(files))
        let parts = (answer["files"]?.arrayValue ?? []).map { file in
            (name: file["name"]?.stringValue ?? "", text: file["content"]?.stringValue ?? "")
        }
        let isSettings = { (name: String) in name.isSame(as: FixtureSettings.fileName) }
        let fixture = try FixtureText(
            name: answer["name"]?.stringValue ?? "", files: parts.filter { !isSettings($0.name) })
        let settings = "\(folder)/\(FixtureSettings.fileName)"
        if let file = parts.first(where: { isSettings($0.name) }), !Files.exists(settings) {
            try Files.makeDirectory(folder, mode: 0o755)
            try Files.write(Array(file.text.utf8), to: settings)
            console.print(settings)
        }
        let (name, file) = try fixture.add(to: folder)
        console.print(file)
        // Standard output contains only paths, for scripts.
        for note in answer["notes"]?.arrayValue ?? [] {
            console.complain("note: \(TerminalText.line(note.stringValue ?? ""))")
        }
        let arguments = (answer["replay"]?.arrayValue ?? []).compactMap(\.stringValue)
        let replay =
            ["emulator", "replay", folder, "--only", name] + arguments.map(TerminalText.line)
        console.complain("replay it: \(replay.map(shellWord).joined(separator: " "))")
        return 0
    }

    private static func eventsFolder(_ text: String) throws(UsageError) -> String {
        var folder = text
        while folder.hasSuffix("/"), folder.utf8.count > 1 { folder.removeLast() }
        guard !folder.isEmpty else {
            throw UsageError(description: "invalid value '' for --into: expected a directory")
        }
        return folder
    }

    /// Quoted for a shell.
    private static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte.isLetterOrDigit
                || [0x2D, 0x2E, 0x2F, 0x5F].contains(byte)
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
