import Foundation
import TestSupport

/// `scripts/lint-source`, with an offence against each of its rules about the form of the code.
@Suite("Lint", .hangLimit)
struct LintTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/lint-source").standardizedFileURL.path

    private func findings(
        _ source: String, in file: String = "Sources/Planted.swift"
    ) throws -> (end: ProcessResult.End, text: String) {
        let texts = "Sources/Auth/Planted/Files"
        for path in ["scripts/lint-source", "\(texts)/en.txt", file] {
            try FileManager.default.createDirectory(
                at: URL(filePath: folder.file(path)).deletingLastPathComponent(),
                withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: Self.script, toPath: folder.file("scripts/lint-source"))
        try folder.write(Array("internal enum Plain {}\n".utf8), to: "Sources/Plain.swift")
        for language in ["en", "de"] {
            try folder.write(Array("a.b = A\nc = C\n".utf8), to: "\(texts)/\(language).txt")
        }
        try folder.write(Array(source.utf8), to: file)
        var command = Command("/bin/bash", [folder.file("scripts/lint-source")])
        command.environment = [("PATH", "/usr/bin:/bin")]
        let result = try ChildProcess.run(command)
        return (result.end, result.errorText)
    }

    private static let longBody = String(repeating: "        work()\n", count: 60)
    private static let longTable = String(repeating: "    case .a: 1\n", count: 70)

    @Test(arguments: [
        (
            "struct A {\n    func long() {\n\(longBody)    }\n}\n",
            "Sources/Planted.swift:2: 62 lines"
        ),
        (
            "struct A {\n    init(\n        _ a: Int\n    ) throws(E) {\n\(longBody)    }\n}\n",
            "Sources/Planted.swift:2: 64 lines"
        ),
        (
            "switch failure {\ncase .a: 1\ndefault: 2\n}\n",
            "names each case, so that a new one is judged\nSources/Planted.swift:3:default: 2"
        ),
        (String(repeating: "// A line.\n", count: 401), "in at most 400 lines"),
        ("import Foundation\n", "imports no Foundation"),
        ("import B\nimport A\n", "in the order of their modules' names\nSources/Planted.swift:2"),
        ("let value = try\("!") work()\n", "or prove it and throw"),
        ("let now = Date()\n", "time and randomness are arguments"),
        ("\("public") struct A {}\n", "nothing is public but the client"),
    ])
    func `a violation is found`(source: String, finding: String) throws {
        let found = try findings(source)
        expectEqual(found.end, .exit(1))
        #expect(found.text.contains(finding), "\(found.text)")
    }

    @Test(arguments: [
        "struct A {\n    func short() {\n\(String(longBody.dropLast(60)))    }\n}\n",
        "func table() {\n    switch a {\n\(longTable)    }\n}\n",
        "protocol P {\n    func f()\n    init(_ a: Int)\n}\nlet table = [\n\(longBody)]\n",
        "switch error {\ncase .a: 1\ndefault: nil\n}\n",
        "switch error {\ncase let error as Known: 1\ndefault: 2\n}\n",
    ])
    func `code that the rules allow causes no finding`(source: String) throws {
        let found = try findings(source)
        #expect(found.end == .exit(0) && found.text.isEmpty, "\(found.text)")
    }

    private static let fullLine = "//" + String(repeating: " a", count: 49)
    private static let longLine = fullLine + "b"

    @Test(arguments: [
        "Sources/Planted.swift", "Sources/C/planted.h", "Benchmarks/planted.py", "Makefile",
        "Deployments/terraform/planted.tf", "Deployments/planted/Dockerfile",
        "Emulator/Dashboard/planted.css", "Web/source/planted.js", "Web/planted.d.ts",
        "docs/monitoring/planted.yml", "Tests/planted.mjs", "scripts/planted",
    ])
    func `a long line is found in each language`(file: String) throws {
        let found = try findings("#!/bin/sh\n\(Self.longLine)\n", in: file)
        #expect(found.text.contains("at most 100 columns\n\(file):2:// a"), "\(found.text)")
    }

    @Test func `a German text that is missing or superfluous is found`() throws {
        let file = "Sources/Auth/Planted/Files/de.txt"
        let text = try findings("c = C\nd = D\n", in: file).text
        #expect(text.contains("\(file):1: a.b is missing\n\(file):2: d is not"), "\(text)")
    }

    private static let word = String(repeating: "a", count: 100)
    private static let longLines: [(file: String, text: String)] = [
        ("Sources/Planted.swift", "\(fullLine)\n"),
        // Characters of several bytes.
        ("Sources/Planted.swift", "// \(String(repeating: "ü—", count: 48))x\n"),
        ("Sources/Planted.swift", "    // https://\(word)\n"),
        ("Sources/Planted.swift", "    \"\(word)\",\n"),
        ("Web/planted.d.ts", "// Made by scripts/planted of its source.\n\(longLine)\n"),
        ("docs/planted.md", longLine), ("Sources/planted.html", longLine),
        ("Tests/planted", longLine), ("Web/planted.js", longLine),
    ]

    @Test(arguments: longLines)
    func `a line that cannot be broken, or is content, may be long`(
        file: String, text: String
    ) throws {
        let found = try findings(text, in: file)
        #expect(found.end == .exit(0) && found.text.isEmpty, "\(found.text)")
    }
}
