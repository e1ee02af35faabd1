import BaseTestSupport
import EmulatorReplay

/// A fixture's file in a folder with other fixtures.
@Suite("FixtureText") struct FixtureTextTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fixture(_ text: String = "1") throws -> FixtureText {
        try FixtureText(name: "f/a-200", files: [("f/a-200.json", text)])
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try folder.read(name), as: UTF8.self)
    }

    @Test func `another fixture of the same name gets a number`() throws {
        let first = try fixture().add(to: folder.path)
        expectEqual(first.name, "f/a-200")
        expectEqual(first.path, folder.file("f/a-200.json"))
        try expectEqual(text("f/a-200.json"), "1")
        let other = try fixture("2").add(to: folder.path)
        expectEqual(other.name, "f/a-200-2")
        try expectEqual(text("f/a-200.json"), "1")
        try expectEqual(text("f/a-200-2.json"), "2")
        try expectEqual(fixture("3").add(to: folder.path).name, "f/a-200-3")
    }

    @Test func `an identical fixture is written once`() throws {
        _ = try fixture().add(to: folder.path)
        _ = try fixture("2").add(to: folder.path)
        try expectEqual(fixture().add(to: folder.path).name, "f/a-200")
        try expectEqual(fixture("2").add(to: folder.path).name, "f/a-200-2")
        #expect(!folder.exists("f/a-200-3.json"))
    }

    /// The existing `given` file would be used with another event.
    @Test(arguments: [".given.json", ".response.json", ".json"])
    func `a name is taken if any of its files exists`(_ ending: String) throws {
        try folder.makeFolder("f")
        try folder.write(Array("mine".utf8), to: "f/a-200\(ending)")
        try expectEqual(fixture().add(to: folder.path).name, "f/a-200-2")
        try expectEqual(text("f/a-200\(ending)"), "mine")
    }

    @Test(arguments: ["", "f", "../a", "f/../a", "f/..", "f/a/b", "/f/a", "f/A", "f/a.b", "f/"])
    func `a name that leaves its folder is refused`(_ name: String) {
        #expect(throws: FixtureFailure("\(name) is not a valid name of a fixture")) {
            try FixtureText(name: name, files: [("\(name).json", "{}")])
        }
    }

    @Test(arguments: [
        [], ["f/a.response.json"], ["f/a.json", "f/b.json"], ["f/a.json", "f/a.sh"],
    ])
    func `other files than the fixture's are refused`(_ names: [String]) {
        #expect(throws: FixtureFailure("f/a does not have the file of a fixture")) {
            try FixtureText(name: "f/a", files: names.map { ($0, "{}") })
        }
    }
}
