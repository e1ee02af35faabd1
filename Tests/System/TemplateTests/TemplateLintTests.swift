import Foundation
import JSON
import TestSupport
import Testing

/// Checks the templates with AWS's SAM transform and cfn-lint, from the virtual environment that
/// `make venv` creates, or `LATCHKEY_VENV`.
@Suite("Template lint") struct TemplateLintTests {
    @Test(arguments: Template.names)
    func `cfn-lint finds nothing, before and after the transform`(name: String) throws {
        let template = Repository.root.appending(path: Template.file(of: name))
        let findings = try Self.findings(in: template)
        #expect(findings == [])
    }

    /// cfn-lint alone does not detect most of these in a serverless function.
    @Test(arguments: [
        ("\"MemorySize\": 256", "\"MemorySize\": 1"),
        ("\"Ref\": \"Secret\"", "\"Ref\": \"Nobody\""),
        ("\"Ref\": \"TrustedHops\"", "\"Ref\": \"Nobody\""),
        ("\"dynamodb:Query\"", "\"dynamodb:Quarry\""),
        ("\"Ref\": \"Api\"", "\"Ref\": \"Nothing\""),
    ])
    func `an error is detected`(right: String, wrong: String) throws {
        let text = try Repository.text("Functions/Templates/whateat.json")
        try #require(text.contains(right))
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let template = folder.appending(path: "template.json")
        try text.replacingOccurrences(of: right, with: wrong)
            .write(to: template, atomically: true, encoding: .utf8)
        #expect(try Self.findings(in: template) != [])
    }

    private static func findings(in template: URL) throws -> [String] {
        let lint = try program("cfn-lint")
        var findings: [String] = []
        let before = try Run.of(lint, ["--", template.path])
        if before.status != 0 || !before.output.isEmpty { findings.append(before.output) }
        let script = Repository.root.appending(path: "Tests/System/TemplateTests/sam-transform")
        let plain = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: plain) }
        let transform = try Run.of(
            try program("python"), [script.path, template.path, plain.path])
        guard transform.status == 0 else { return findings + [transform.output] }
        let after = try Run.of(lint, ["--", plain.path])
        if after.status != 0 || !after.output.isEmpty { findings.append(after.output) }
        return findings
    }

    private static func program(_ name: String) throws -> URL {
        let program = URL(filePath: VirtualEnvironment.program(name))
        try #require(
            FileManager.default.isExecutableFile(atPath: program.path), "run make venv")
        return program
    }
}
