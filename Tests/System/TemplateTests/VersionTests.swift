import Foundation
import TestSupport

/// `scripts/set-version` writes it.
@Suite("The version") struct VersionTests {
    @Test func `programs, images, packages and documents have the same version`() throws {
        func version(_ program: String) throws -> String {
            let run = try Run.of(URL(filePath: BuiltExecutables.path(of: program)), ["--version"])
            return try #require(
                run.output.split(whereSeparator: \.isWhitespace).last.map(String.init))
        }
        let present = try version("latchkey")
        try expectEqual(version("emulator"), present)
        let files = try ["docs", "Deployments"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(
                atPath: Repository.root.appending(path: folder).path
            ).map { "\(folder)/\($0)" }.filter { !$0.contains("/.") }
        }
        var found = 0
        for file in files + ["README.md"] {
            guard let text = try? Repository.text(file) else { continue }
            for mention in text.matches(of: /latchkey(?:-openfaas|-emulator)?[:_-](\d+\.\d+\.\d+)/)
            {
                found += 1
                expectEqual(String(mention.output.1), present, "\(file): \(mention.output.0)")
            }
        }
        #expect(found > 8)
        let minor = present.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(try Repository.text("SECURITY.md").contains("latest release of \(minor).x"))
    }
}
