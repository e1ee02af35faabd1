import Foundation
import TestSupport

/// The files of this repository, to compare with the documents.
enum Repository {
    static let root = RepositoryRoot.url

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func contains(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func swiftFiles(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The executables that the manifest declares.
    static func executables() throws -> Set<String> {
        let rows = try text("Package.swift").firstMatch(of: /Functions\/: .*\n([^"]*)"""/)?.1 ?? ""
        // A row may name the program, and may have dependencies.
        let entry = /\b([A-Z]\w+)(?: as ([a-z-]+))?(?=[,:\n])/
        let found = rows.replacing(/(?m):.*$/, with: ":").matches(of: entry).map { match in
            match.2.map(String.init)
                ?? match.1.replacing(/\B[A-Z]/) { "-\($0.output)" }.lowercased()
        }
        return Set(found)
    }
}

/// The result of a program.
struct Run {
    let status: Int32
    let output: String

    /// Output goes to a file, because a full pipe without a reader blocks the program.
    static func of(_ executable: URL, _ arguments: [String]) throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        defer { try? output.close() }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "AWS_DEFAULT_REGION": "us-east-1"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
