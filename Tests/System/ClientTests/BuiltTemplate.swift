import Foundation
import TestSupport

/// A template of the repository with the executables built with the tests, in a temporary
/// directory.
struct BuiltTemplate {
    let folder: TemporaryFolder
    var path: String { folder.file("template.json") }

    private static let codeFolder = "../../.build/lambda/"

    /// `changes` are replacements in its text, whose lines are joined without indentation.
    init(_ name: String, changes: [(from: String, to: String)] = []) throws {
        try self.init(file: "Functions/Templates/\(name).json", changes: changes)
    }

    /// The app's own routes beside a contract's.
    init(exampleOf contract: String) throws {
        try self.init(file: "Examples/\(contract)/template.json", changes: [])
    }

    private init(file: String, changes: [(from: String, to: String)]) throws {
        folder = try TemporaryFolder()
        let source = RepositoryRoot.url.appending(path: file)
        var text = try String(contentsOf: source, encoding: .utf8)
        for function in Self.functions(in: text) {
            try folder.makeFolder(function)
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("\(function)/bootstrap"),
                withDestinationPath: BuiltExecutables.path(of: function))
        }
        text = text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
        for (from, to) in [(from: Self.codeFolder, to: "")] + changes {
            precondition(text.contains(from), "\(file) has no \(from)")
            text = text.replacingOccurrences(of: from, with: to)
        }
        try folder.write(Array(text.utf8), to: "template.json")
    }

    /// The directories in its `CodeUri`s.
    private static func functions(in text: String) -> Set<String> {
        Set(
            text.components(separatedBy: codeFolder).dropFirst().compactMap {
                $0.split(separator: "/").first.map(String.init)
            })
    }
}
