import Foundation
import TestSupport

/// The apps of `Examples/Apps`, with the functions of their contracts. What each says is in
/// `Transcripts`: commands after `>`, and under a title the statements of the seed that they show.
///
/// With `LATCHKEY_UPDATE_GOLDEN=1` what they say is written there.
@Suite("Sample apps", .serialized, .blocking, .hangLimit)
struct SampleAppTests {
    @Test(arguments: Transcript.apps)
    func `an app behaves as its specification says`(app: String) throws {
        let transcript = try Transcript(of: app)
        let run = try SampleAppRun(app)
        var actual: [Transcript.Exchange] = []
        for launch in transcript.launches { actual += try run.launch(launch) }
        if ProcessInfo.processInfo.environment["LATCHKEY_UPDATE_GOLDEN"] != nil {
            try transcript.write(actual)
        }
        let expected = transcript.sections.flatMap { section in
            section.exchanges.map { (section.title, $0) }
        }
        expectEqual(actual.count, expected.count)
        for ((title, expected), actual) in zip(expected, actual) {
            expectEqual(actual, expected, "\(app): \(title)")
        }
    }

    @Test func `transcripts are parsed correctly`() throws {
        let text = """
            # K1: one
            > launch
            signed out
            > meals
            Soup
            Bread

            # K2: two
            > launch
            signed in
            """
        let transcript = Transcript(of: "x", text)
        expectEqual(transcript.sections.map(\.title), ["K1: one", "K2: two"])
        expectEqual(transcript.sections[0].exchanges[1].lines, ["Soup", "Bread"])
        expectEqual(transcript.launches, [["meals"], []])
        expectEqual(transcript.text(transcript.sections.flatMap(\.exchanges)), text + "\n")
    }
}

/// An app and its server.
private struct SampleAppRun {
    private let app: String
    private let emulator: EmulatorProcess
    private let templates: [BuiltTemplate]
    private let folder: TemporaryFolder

    init(_ app: String) throws {
        self.app = app
        folder = try TemporaryFolder()
        // Photolala's app has no routes of its own: it uses a bucket.
        templates =
            app == "photolala"
            ? [try BuiltTemplate(app, changes: Self.bucketName)]
            : [try BuiltTemplate(app), try BuiltTemplate(exampleOf: app)]
        try folder.write(Array("REFRESH_GRACE_SECONDS=0\n".utf8), to: "environment")
        emulator = try EmulatorProcess(
            template: templates[0].path,
            templates.dropFirst().flatMap { ["--template", $0.path] }
                + ["--env-file", folder.file("environment")])
    }

    private static let bucketName = [
        (
            from: #""UpdateReplacePolicy": "Retain","Properties": {"PublicAccess"#,
            to: #""UpdateReplacePolicy": "Retain","Properties": {"#
                + #""BucketName": "photos","PublicAccess"#
        )
    ]

    /// The app's output for each command, first for its start.
    func launch(_ commands: [String]) throws -> [Transcript.Exchange] {
        var command = Command(
            BuiltExecutables.path(of: "app-\(app)"), [emulator.appURL, folder.file("device")])
        command.environment = [
            ("PATH", "/usr/bin:/bin"), ("AWS_ENDPOINT_URL", emulator.awsURL),
            ("AWS_ACCESS_KEY_ID", EmulatorProcess.developerKey),
            ("AWS_SECRET_ACCESS_KEY", EmulatorProcess.developerKey),
        ]
        command.input = .bytes(Array(commands.map { $0 + "\n" }.joined().utf8))
        let result = try ChildProcess.run(command)
        expectEqual(
            result.end, .exit(0),
            "\(app)\n\(result.text)\n\(result.errorText)\nthe emulator:\n\(emulator.log)")
        // Identifiers of users differ from run to run.
        let id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
        return Transcript.exchanges("> launch\n" + result.text.replacing(id, with: "<id>"))
    }
}

/// The input and output of an app.
struct Transcript {
    struct Exchange: Equatable {
        let command: String
        var lines: [String]
    }

    struct Section {
        /// The statements of the seed, and what is shown: `R1: a token that …`.
        let title: String
        let exchanges: [Exchange]
    }

    static let apps = ["livlogios", "news_app", "photolala", "shell", "whateat"]

    let app: String
    let sections: [Section]

    init(of app: String) throws {
        self.init(of: app, try String(contentsOf: Self.file(app), encoding: .utf8))
    }

    init(of app: String, _ text: String) {
        self.app = app
        sections = ("\n" + text).split(separator: "\n# ").map { part in
            let lines = part.split(separator: "\n", maxSplits: 1)
            return Section(
                title: String(lines.first ?? ""),
                exchanges: Self.exchanges(String(lines.dropFirst().first ?? "")))
        }
    }

    /// The commands of each start of the app.
    var launches: [[String]] {
        sections.flatMap(\.exchanges).map(\.command).split(
            separator: "launch", omittingEmptySubsequences: false
        ).dropFirst().map(Array.init)
    }

    static func exchanges(_ text: String) -> [Exchange] {
        var exchanges: [Exchange] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("> ") {
                exchanges.append(Exchange(command: String(line.dropFirst(2)), lines: []))
            } else if !exchanges.isEmpty {
                exchanges[exchanges.count - 1].lines.append(String(line))
            }
        }
        return exchanges
    }

    /// With these exchanges instead, one for each.
    func text(_ actual: [Exchange]) -> String {
        var rest = actual[...]
        let parts = sections.map { section in
            let exchanges = rest.prefix(section.exchanges.count)
            rest = rest.dropFirst(section.exchanges.count)
            let lines = exchanges.flatMap { ["> \($0.command)"] + $0.lines }
            return (["# \(section.title)"] + lines).joined(separator: "\n") + "\n"
        }
        return parts.joined(separator: "\n")
    }

    func write(_ actual: [Exchange]) throws {
        try text(actual).write(to: Self.file(app), atomically: true, encoding: .utf8)
    }

    private static func file(_ app: String) -> URL {
        URL(filePath: ClientScript.path("Transcripts/\(app).txt"))
    }
}
