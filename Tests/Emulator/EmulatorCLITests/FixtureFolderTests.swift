import BaseTestSupport
import Foundation

/// `serve --events`: fixtures that the dashboard saves and replays.
@Suite("The folder of --events", .serialized, .hangLimit) struct FixtureFolderTests {
    private let folder: TemporaryFolder
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        folder = try TemporaryFolder()
        let template = RecordingTests.template(["signin", "me"])
        try folder.write(Array(template.utf8), to: "template.yaml")
        try FileManager.default.createDirectory(
            atPath: folder.file("Events"), withIntermediateDirectories: false)
        emulator = try EmulatorProcess(
            EmulatorProcess.serving(["--ephemeral", "--events", "Events"]).working(in: folder))
        caller = EmulatorClient(emulator)
    }

    private var names: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: folder.file("Events"))
                .filter { $0.hasSuffix(".json") }.sorted()
        }
    }

    @Test func `a request becomes a fixture of the folder, which passes`() throws {
        expectEqual(try caller.app(.get, "/auth/me").status, 401)
        var saved: HTTPResponse?
        // An invocation is recorded shortly after its caller gets the response.
        #expect(
            try eventually {
                saved = try caller.app(.put, "/_emulator/recordings/last")
                return saved?.status == 200
            }, "\(saved?.text ?? "")")
        let name = try #require(saved?.json?["name"]?.stringValue)
        #expect(name.hasPrefix("me/"))
        expectEqual(
            saved?.json?["path"]?.stringValue?
                .hasPrefix("Events/me/"), true)
        #expect(try names.contains("settings.json") && names.contains("\(name).json"))
        let before = try names
        expectEqual(try caller.app(.put, "/_emulator/recordings/last").status, 200)
        try expectEqual(names, before)
        let replayed = try caller.app(.post, "/_emulator/replays/\(name)")
        expectEqual(replayed.status, 200, "\(replayed.text)")
        #expect(replayed.json?["passed"] == true, "\(replayed.text)")
        expectEqual(replayed.json?["text"]?.stringValue, "1 passed, 0 failed")
        // Another expected answer.
        let file = "Events/\(name).json"
        let changed = try String(decoding: folder.read(file), as: UTF8.self)
            .replacing(#""status": 401"#, with: #""status": 402"#)
        try folder.write(Array(changed.utf8), to: file)
        let failed = try caller.app(.post, "/_emulator/replays/\(name)")
        #expect(failed.json?["passed"] == false)
        #expect(failed.json?["text"]?.stringValue?.contains("statusCode") == true)
    }

    @Test(arguments: [
        "me/none", "me/..%2f..%2ftemplate", "..%2f/x", "me/x*", "%2e%2e/settings", "me/",
    ])
    func `no name leads out of the folder`(name: String) throws {
        let answer = try caller.app(.post, "/_emulator/replays/\(name)")
        expectEqual(answer.status, 404, "\(answer.text)")
        try expectEqual(names, [])
    }

    @Test func `an emulator without the folder writes nothing`() throws {
        let other = EmulatorClient(try EmulatorProcess.shared())
        expectEqual(try other.app(.put, "/_emulator/recordings/last").status, 409)
        expectEqual(try other.app(.post, "/_emulator/replays/me/none").status, 409)
    }
}
