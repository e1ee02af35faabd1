import Foundation
import TestSupport
import Testing

@Suite("Generated templates") struct GeneratedTemplateTests {
    @Test func `the templates in the repository are what make templates writes`() throws {
        let generator = Process()
        let output = Pipe()
        generator.executableURL = URL(
            filePath: BuiltExecutables.path(of: "generate-templates"))
        generator.arguments = ["--check"]
        generator.currentDirectoryURL = Repository.root
        generator.standardOutput = output
        try generator.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        generator.waitUntilExit()
        #expect(generator.terminationStatus == 0, "\(text)")
        #expect(text.isEmpty)
    }
}
