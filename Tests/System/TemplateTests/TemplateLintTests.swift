import Foundation
import JSON
import TestSupport
import Testing

/// Checks the templates with AWS's SAM transform and cfn-lint, from the virtual environment that
/// `make venv` creates, or `LATCHKEY_VENV`.
@Suite("Template lint") struct TemplateLintTests {
    @Test func `cfn-lint finds nothing, before and after the transform`() throws {
        let templates = Template.names.map {
            Repository.root.appending(path: Template.file(of: $0))
        }
        // Each needs a name of its own.
        let folder = try TemporaryFolder()
        for name in Template.withExample {
            try folder.write(
                try Repository.bytes(Template.example(of: name)), to: "\(name)-example.json")
        }
        let examples = Template.withExample.map { URL(filePath: folder.file("\($0)-example.json")) }
        let findings = try Self.findings(in: templates + examples)
        #expect(findings == [:])
    }

    /// cfn-lint alone does not detect most of these in a serverless function.
    @Test func `errors are detected`() throws {
        let mistakes = [
            "memory": ("\"MemorySize\": 256", "\"MemorySize\": 1"),
            "resource": ("\"Ref\": \"Secret\"", "\"Ref\": \"Nobody\""),
            "parameter": ("\"Ref\": \"TrustedHops\"", "\"Ref\": \"Nobody\""),
            "action": ("\"dynamodb:Query\"", "\"dynamodb:Quarry\""),
            "api": ("\"Ref\": \"Api\"", "\"Ref\": \"Nothing\""),
        ]
        let text = try Repository.text("Functions/Templates/whateat.json")
        let folder = try TemporaryFolder()
        for (name, mistake) in mistakes {
            try #require(text.contains(mistake.0))
            let wrong = text.replacingOccurrences(of: mistake.0, with: mistake.1)
            try folder.write(Array(wrong.utf8), to: "\(name).json")
        }
        let templates = mistakes.keys.map { URL(filePath: folder.file("\($0).json")) }
        let findings = try Self.findings(in: templates)
        #expect(findings.keys.sorted() == mistakes.keys.sorted())
    }

    /// The findings by the template's name. All templates together, because the programs take
    /// longer to start than to check one.
    private static func findings(in templates: [URL]) throws -> [String: [String]] {
        let script = Repository.root.appending(path: "Tests/System/TemplateTests/sam-transform")
        let plain = try TemporaryFolder()
        let transform = try Run.of(
            try program("python"), [script.path, plain.path] + templates.map(\.path))
        try #require(transform.status == 0, "\(transform.output)")
        let transformed = templates.map { plain.file($0.lastPathComponent) }
            .filter(FileManager.default.fileExists)

        var lines = transform.output.split(separator: "\n")
        for files in [templates.map(\.path), transformed] {
            let lint = try Run.of(try program("cfn-lint"), ["--format", "parseable", "--"] + files)
            lines += lint.output.split(separator: "\n")
        }
        // Each line begins with a path; one that does not is kept under its own text.
        let names = Set(templates.map { $0.deletingPathExtension().lastPathComponent })
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
