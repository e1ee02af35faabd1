import EmulatorReplay
import Foundation
import TestSupport

@Suite("ReplayCommand") struct ReplayCommandTests {
    /// Answers with its event.
    private static let echo = "#!/bin/sh\ncat\n"

    private func bench(_ files: [(String, String)]) throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install("echo", Self.echo)
        for (path, text) in files { try bench.write(text, to: "Events/\(path)") }
        return bench
    }

    @Test func `differences are shown with paths and as a diff with placeholders`()
        throws
    {
        let bench = try bench([
            (
                "echo/a.json",
                #"{"id": "3f2b8c1e-9a4d-4c7b-8e21-5d6f7a8b9c0d", "x": [{"y": 2}], "more": true}"#
            ),
            ("echo/a.response.json", #"{"id": "<uuid>", "x": [{"y": 1}]}"#),
        ])
        expectEqual(bench.replay(), 1)
        expectEqual(
            bench.text,
            """
            echo/a
                x[0].y: expected 1, found 2
                more: unexpected, found true
              --- expected
              +++ found
                …
                  "id": "<uuid>",
                  "x": [
                    {
              -       "y": 1
              +       "y": 2
                    }
                  ]
              +   "more": true
                }
            0 passed, 1 failed
            """)
    }

    @Test func `steps that several fixtures share run once, and are copied`() throws {
        let bench = try bench([])
        let count = bench.folder.file("count")
        try bench.install("leave", "#!/bin/sh\ncat >kept; echo once >>\(count); echo '{}'\n")
        try bench.install("look", "#!/bin/sh\ncat >/dev/null; cat kept; echo >>kept\n")
        try bench.write(#"{"a": 1}"#, to: "Events/leave/first.json")
        try bench.write("{}", to: "Events/leave/first.response.json")
        for name in ["one", "two", "three"] {
            try bench.write("{}", to: "Events/look/\(name).json")
            try bench.write(
                #"{"steps": [{"run": "leave/first"}]}"#, to: "Events/look/\(name).given.json")
            try bench.write(#"{"a": 1}"#, to: "Events/look/\(name).response.json")
        }
        expectEqual(bench.replay(only: "look/"), 0)
        expectEqual(bench.printed, ["3 passed, 0 failed"])
        // If a minute ends during the replay, the first step runs a second time.
        #expect(try (1...2).contains(bench.read("count").split(separator: "\n").count))
    }

    @Test func `an update keeps matching placeholders and changes the rest`() throws {
        let bench = try bench([
            ("echo/a.json", #"{"at": "2026-01-06T12:00:00.000Z", "x": 2, "more": "y"}"#),
            ("echo/a.response.json", #"{"at": "<instant>", "x": 1, "gone": 0}"#),
        ])
        expectEqual(bench.replay(updates: true), 0)
        expectEqual(bench.last, "1 passed, 0 failed")
        try expectEqual(
            bench.read("Events/echo/a.response.json"),
            """
            {
              "at": "<instant>",
              "x": 2,
              "more": "y"
            }

            """)
        expectEqual(bench.replay(), 0)
    }

    @Test(arguments: [
        #"{"exit": 1}"#, #"{"log": [{"event": "x"}]}"#, #"{"sts": {"answer": "granted"}}"#,
    ])
    func `a response whose checks fail is not recorded`(given: String) throws {
        let bench = try bench([
            ("echo/a.json", #"{"x": 2}"#), ("echo/a.given.json", given),
            ("echo/a.response.json", #"{"x": 1}"#),
            ("echo/new.json", #"{"x": 2}"#), ("echo/new.given.json", given),
            ("echo/good.json", #"{"x": 2}"#), ("echo/good.response.json", #"{"x": 1}"#),
        ])
        expectEqual(bench.replay(updates: true), 1)
        expectEqual(bench.last, "1 passed, 2 failed")
        expectEqual(bench.printed.filter { $0.contains("is not recorded") }.count, 2)
        #expect(bench.text.contains("x: expected 1, found 2"))
        try expectEqual(bench.read("Events/echo/a.response.json"), #"{"x": 1}"#)
        #expect(!bench.folder.exists("Events/echo/new.response.json"))
        #expect(try bench.read("Events/echo/good.response.json").contains("2"))
        // Without the option it is not recorded either.
        expectEqual(bench.replay(), 1)
        #expect(!bench.folder.exists("Events/echo/new.response.json"))
    }

    @Test(arguments: [
        (#"{"statusCode": 503}"#, #"{"statusCode": 200}"#, "status 503, which was 200"),
        (#"{"error": "x"}"#, #"{"x": 1}"#, "status 400, which was 200"),
        (#"{"errorType": "x"}"#, #"{"error": "x"}"#, "status 500, which was 400"),
    ])
    func `an update reports a changed status`(
        found: String, expected: String, note: String
    ) throws {
        let bench = try bench([("echo/a.json", found), ("echo/a.response.json", expected)])
        expectEqual(bench.replay(updates: true), 0)
        #expect(bench.text.contains("echo/a\n    recorded with \(note)"))
        expectEqual(bench.replay(), 0)
    }

    @Test func `an update does not report an unchanged status`() throws {
        let bench = try bench([
            ("echo/a.json", #"{"statusCode": 200, "x": 1}"#),
            ("echo/a.response.json", #"{"statusCode": 200, "x": 2}"#),
        ])
        expectEqual(bench.replay(updates: true), 0)
        #expect(!bench.text.contains("recorded with"))
    }

    @Test func `an event that is not JSON is reported with the position of the error`() throws {
        let bench = try bench([("echo/a.json", "{\n  \"x\": 1,,\n}")])
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("the event is not valid JSON: echo/a.json:2:10: a comma"))
    }

    @Test func `a first response is recorded, and fails until it is reviewed`() throws {
        let bench = try bench([("echo/a.json", #"{"at": "2026-01-06T12:00:00.000Z"}"#)])
        expectEqual(bench.replay(), 1)
        expectEqual(bench.last, "0 passed, 1 failed")
        expectEqual(bench.replay(), 0)
        try expectEqual(
            bench.read("Events/echo/a.json"),
            """
            {
              "event": {"at": "2026-01-06T12:00:00.000Z"},
              "response": {"at": "<instant>"}
            }

            """)
    }

    @Test(arguments: [
        ("echo/lost.response.json", "{}", "does not belong to an event"),
        ("echo/a.given.json", #"{"what": 1}"#, "given.what is unknown"),
        ("echo/a.given.json", #"{"values": {"v": "x"}}"#, "<v> is defined but not used"),
        ("echo/a.given.json", #"{"exit": 1}"#, "exit 0, expected 1"),
        ("echo/a.given.json", #"{"steps": [{"run": "echo/none"}]}"#, "not found"),
        ("echo/a.given.json", #"{"sts": {"answer": "granted"}}"#, "STS was not called"),
        ("nobody/a.json", "{}", "executable nobody not found"),
        ("echo/b.json", #"{"x": "<unheard>"}"#, "unknown placeholder <unheard>"),
    ])
    func `an invalid fixture fails`(_ path: String, _ text: String, _ problem: String) throws {
        let bench = try bench([
            ("echo/a.json", #"{"x": 1}"#), ("echo/a.response.json", #"{"x": 1}"#), (path, text),
        ])
        expectEqual(bench.replay(only: "/"), 1)
        #expect(bench.text.contains(problem))
        expectEqual(bench.last?.hasSuffix(" 1 failed"), true)
    }

    @Test(arguments: [
        ("exit 7", "stdout is not JSON"), ("echo nonsense", "stdout is not JSON"),
        ("kill -9 $$", "ended by signal 9"), ("echo '{}'; exit 3", "exit 3, expected 0"),
    ])
    func `a failing function is reported, and the next fixture runs`(
        _ script: String, _ problem: String
    ) throws {
        let bench = try bench([
            ("bad/a.json", "{}"), ("bad/a.response.json", "{}"),
            ("echo/a.json", "{}"), ("echo/a.response.json", "{}"),
        ])
        try bench.install("bad", "#!/bin/sh\n\(script)\n")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains(problem))
        expectEqual(bench.last, "1 passed, 1 failed")
    }

    @Test func `the error for a step without the step tool names the tool`() throws {
        let bench = try bench([
            ("echo/a.json", "{}"), ("echo/a.response.json", "{}"),
            ("echo/a.given.json", #"{"steps": [{"account": "u", "set": "disabled"}]}"#),
        ])
        try bench.install("fixture-step", "#!/bin/sh\ngrep -q '\"set\":\"disabled\"'\n")
        expectEqual(bench.replay(), 0)
    }

    @Test func `strict settings require compact JSON and a log of objects`() throws {
        let bench = try bench([
            ("loose/a.json", "{}"), ("loose/a.response.json", #"{"a": 1}"#),
            ("settings.json", #"{"strict": true}"#),
        ])
        try bench.install("loose", "#!/bin/sh\necho '{\"a\": 1}'\n")
        expectEqual(bench.replay(), 1)
        try bench.install("loose", "#!/bin/sh\necho words >&2; echo '{\"a\":1}'\n")
        expectEqual(bench.replay(), 1)
        try bench.install("loose", "#!/bin/sh\necho '{\"a\":1}'\n")
        expectEqual(bench.replay(), 0)
    }

    @Test func `settings with their former name are an error`() throws {
        let bench = try bench([
            ("echo/a.json", "{}"), ("echo/a.response.json", "{}"), ("world.json", "{}"),
        ])
        expectEqual(bench.replay(), 2)
        expectEqual(bench.noted.last?.contains("rename world.json to settings.json"), true)
    }

    @Test func `a secret in a log is found`() throws {
        let bench = try bench([
            ("chatty/a.json", "{}"), ("chatty/a.response.json", #"{"key": "<text>"}"#),
            (
                "settings.json",
                #"""
                {"environment": {"KEY": "s3cret-s3cret-s3cret"}, "secrets": {"variables": ["KEY"]}}
                """#
            ),
        ])
        try bench.install(
            "chatty", "#!/bin/sh\necho \"$KEY\" >&2; echo \"{\\\"key\\\":\\\"x\\\"}\"\n")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("stderr of chatty/a holds a KEY"))
        #expect(!bench.text.contains("s3cret-s3cret"))
    }

    @Test func `a path that is not a directory is a usage error`() throws {
        let bench = try bench([])
        expectEqual(bench.replay(events: "/nowhere"), 2)
        expectEqual(bench.noted.last?.contains("not a directory of events"), true)
    }

    @Test(arguments: [
        #"{"shapes": {}}"#, #"{"strict": "yes"}"#, #"{"setting": 1}"#, "[]",
        #"{"secrets": {"members": "x"}}"#, #"{"environment": {"A": 1}}"#, "{",
    ])
    func `invalid settings are an error`(_ text: String) {
        #expect(throws: FixtureFailure.self) { try FixtureSettings(Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"uuid": "x"}"#, #"{"t": {"jwts": {}}}"#, #"{"no name": "x"}"#, "[]", "{",
    ])
    func `invalid shapes are an error`(_ text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(Array(#"{"t": "<uuid>"}"#.utf8), to: "a.shapes.json")
        try expectEqual(FixtureSettings(folder: folder.path).shapes.map(\.contract), ["a"])
        try folder.write(Array(text.utf8), to: "b.shapes.json")
        #expect(throws: FixtureFailure.self) { try FixtureSettings(folder: folder.path) }
    }
}
