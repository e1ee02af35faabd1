import BaseTestSupport
import Foundation

/// Checks the templates with AWS's SAM transform and cfn-lint, from the virtual environment that
/// `make venv` creates, or `LATCHKEY_VENV`.
@Suite("Template lint") struct TemplateLintTests {
    @Test func `cfn-lint finds nothing, before and after the transform`() throws {
        let findings = try Self.findings.get().filter { !Self.mistakes.keys.contains($0.key) }
        expectEqual(findings, [:])
    }

    /// cfn-lint alone does not detect most of these in a serverless function.
    @Test func `errors are detected`() throws {
        let findings = try Self.findings.get()
        for name in Self.mistakes.keys { #expect(findings[name] != nil, "\(name)") }
    }

    private static let mistakes = [
        "memory": ("\"MemorySize\": 256", "\"MemorySize\": 1"),
        "resource": ("\"Ref\": \"Secret\"", "\"Ref\": \"Missing\""),
        "parameter": ("\"Ref\": \"TrustedHops\"", "\"Ref\": \"Missing\""),
        "action": ("\"dynamodb:Query\"", "\"dynamodb:Quarry\""),
        "api": ("\"Ref\": \"Api\"", "\"Ref\": \"Missing\""),
    ]

    /// The findings by the template's name. All templates together, because the programs take
    /// longer to start than to check one.
    private static let findings: Result<[String: [String]], any Error> = Result {
        let (folder, plain) = (try TemporaryFolder(), try TemporaryFolder())
        // Each needs a different name.
        for name in Template.withExample {
            let example = try Repository.bytes(Template.example(of: name))
            try folder.write(example, to: "\(name)-example.json")
        }
        let text = try Repository.text("Functions/Templates/whateat.json")
        for (name, mistake) in mistakes {
            try #require(text.contains(mistake.0))
            let wrong = text.replacingOccurrences(of: mistake.0, with: mistake.1)
            try folder.write(Array(wrong.utf8), to: "\(name).json")
        }
        let templates =
            (Template.names + Template.singles).map {
                Repository.root.appending(path: Template.file(of: $0)).path
            }
            + folder.names.map(folder.file)

        let script = Repository.root.appending(path: "Tests/System/TemplateTests/sam-transform")
        let transform = try Run.of(try program("python"), [script.path, plain.path] + templates)
        try #require(transform.status == 0, "\(transform.output)")
        let lint = try Run.of(
            try program("cfn-lint"),
            ["--format", "parseable", "--"] + templates + plain.names.map(plain.file))
        // Each line begins with a path; one that does not is kept under its own text.
        let names = Set(
            templates.map { URL(filePath: $0).deletingPathExtension().lastPathComponent })
        let lines = transform.output.split(separator: "\n") + lint.output.split(separator: "\n")
        return Dictionary(grouping: lines.map(String.init)) { line in
            let path = URL(filePath: String(line.prefix { $0 != ":" }))
            let name = path.deletingPathExtension().lastPathComponent
            return names.contains(name) ? name : line
        }
    }

    private static func program(_ name: String) throws -> URL {
        URL(filePath: try VirtualEnvironment.program(name))
    }
}
