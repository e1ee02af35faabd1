import Foundation
import TestSupport

/// A checkout that was moved or copied with its build products. The scripts run in a folder of
/// their own, with a fake compiler that prints its arguments.
@Suite("A checkout that was moved", .hangLimit) struct MovedCheckoutTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["scripts", "bin", ".build", ".build/release", ".cache", ".cache/curl"] {
            try folder.makeFolder(name)
        }
        for name in ["swift", "remove-moved-build", "bill-of-materials"] {
            let script = try Data(contentsOf: Repository.root.appending(path: "scripts/\(name)"))
            try folder.replace("scripts/\(name)", with: Array(script), mode: 0o755)
        }
        try folder.replace(
            "bin/swift",
            withScript:
                "[ \"$1\" = --version ] && echo Swift version 6.3 && exit; echo swift \"$@\"")
        try folder.replace("bin/dpkg-query", withScript: "echo no package >&2; exit 1")
    }

    private func run(_ script: String, _ arguments: String...) throws -> ProcessResult {
        var command = Command(folder.file("scripts/\(script)"), arguments)
        command.environment = [
            ("PATH", "\(folder.file("bin")):/usr/bin:/bin"), ("HOME", folder.path),
        ]
        return try ChildProcess.run(command)
    }

    /// Writes SwiftPM's plan of the last build.
    private func wasBuilt(in path: String) throws {
        let plan = "commands:\n  x:\n    inputs: [\"\(path)/.build/debug/x.swiftmodule\"]\n"
        try folder.write(Array(plan.utf8), to: ".build/debug.yaml")
    }

    @Test(arguments: [["build"], ["build", "--build-tests"], ["test", "--filter", "X"]])
    func `a build from another folder is removed before compiling`(arguments: [String]) throws {
        try wasBuilt(in: "/home/ada/latchkey")
        var command = Command(folder.file("scripts/swift"), arguments)
        command.environment = [
            ("PATH", "\(folder.file("bin")):/usr/bin:/bin"), ("HOME", folder.path),
        ]
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(0))
        // Without both flags SwiftPM runs none of these tests, and reports success.
        let flags = arguments[0] == "test" ? ["--disable-xctest", "--enable-swift-testing"] : []
        expectEqual(result.text, "swift \((arguments + flags).joined(separator: " "))\n")
        expectEqual(
            result.errorLines,
            [
                "this checkout was built in another folder: removing .build for a new build"
            ])
        #expect(!folder.exists(".build"))
    }

    @Test func `a build of the same folder is kept`() throws {
        try wasBuilt(in: URL(filePath: folder.path).resolvingSymlinksInPath().path)
        let result = try run("swift", "build")
        #expect(result.errorText == "" && result.text == "swift build\n")
        #expect(folder.exists(".build/debug.yaml"))
    }

    @Test func `a command that compiles nothing removes nothing`() throws {
        try wasBuilt(in: "/home/ada/latchkey")
        for arguments in [["test", "--skip-build"], ["format"], ["--version"]] {
            var command = Command(folder.file("scripts/swift"), arguments)
            command.environment = [
                ("PATH", "\(folder.file("bin")):/usr/bin:/bin"), ("HOME", folder.path),
            ]
            try expectEqual(ChildProcess.run(command).errorText, "")
        }
        #expect(folder.exists(".build/debug.yaml"))
    }

    /// A row of lld's map: two addresses, the size, the alignment, the file and its section.
    private func row(_ file: String) -> String {
        "          400000   400000     1000    16         \(file):(.text)\n"
    }

    private func wasLinked(_ files: String...) throws {
        try folder.write(Array(files.map(row).joined().utf8), to: ".build/release.map")
        try folder.replace(".build/release/refresh", withScript: "echo refresh 0.1.0")
        try folder.write(Array("curl 7.88.1-10\n".utf8), to: ".cache/curl/version")
    }

    @Test func `the bill of materials matches the build, even in a moved checkout`() throws {
        try wasLinked(
            "/home/ada/latchkey/.build/x86_64-unknown-linux-gnu/release/Auth.o",
            "/home/ada/latchkey/.cache/curl/lib/libcurl.a(easy.o)")
        try folder.replace("bin/dpkg-query", withScript: "[ \"$1\" = --search ] && [ $# -eq 1 ]")
        let result = try run("bill-of-materials", "--table")
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(result.text.contains("| curl 7.88.1-10 | 4 | 50% | curl |"))
        #expect(result.text.contains("| latchkey | 4 | 50% | Apache-2.0 |"))
    }

    @Test func `a library without a package is reported in one line`() throws {
        try wasLinked("/home/ada/latchkey/.build/release/Auth.o", "/opt/strange/libstrange.a(x.o)")
        let result = try run("bill-of-materials")
        #expect(result.end == .exit(1) && result.text == "")
        expectEqual(result.errorLines, ["bill-of-materials: dpkg-query --search: no package"])
    }
}
