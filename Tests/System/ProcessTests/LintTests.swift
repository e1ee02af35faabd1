import Foundation
import TestSupport
import Testing

/// `scripts/lint-source`, with an offence against each of its rules about the form of the code.
@Suite("Lint", .hangLimit)
struct LintTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/lint-source").standardizedFileURL.path

    private func findings(_ source: String) throws -> (end: ProcessResult.End, text: String) {
        for name in ["scripts", "Sources"] { mkdir(folder.file(name), 0o700) }
        try FileManager.default.copyItem(
            atPath: Self.script, toPath: folder.file("scripts/lint-source"))
        try folder.write(Array("internal enum Plain {}\n".utf8), to: "Sources/Plain.swift")
        try folder.write(Array(source.utf8), to: "Sources/Planted.swift")
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
            "switch error {\ncase .a: 1\ndefault: 2\n}\n",
            "names each case, so that a new one is judged\nSources/Planted.swift:3:default: 2"
        ),
        (String(repeating: "// A line.\n", count: 401), "in at most 400 lines"),
        ("import Foundation\n", "imports no Foundation"),
        ("import B\nimport A\n", "in the order of their modules' names\nSources/Planted.swift:2"),
        ("let value = try\("!") work()\n", "or prove it and throw"),
        ("let now = Date()\n", "time and randomness are arguments"),
        ("\("public") struct A {}\n", "nothing is public but the client"),
    ])
    func `an offence is found`(source: String, finding: String) throws {
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
    func `what the rules allow is no finding`(source: String) throws {
        let found = try findings(source)
        #expect(found.end == .exit(0) && found.text.isEmpty, "\(found.text)")
    }
}
