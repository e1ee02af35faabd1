internal import Foundation

/// A folder of its own for one test, gone with the last reference to it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/latchkey-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SpawnFailure(call: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // A test may have made it read-only.
        chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)))
    }

    /// Another file under the name, whole from the start: as editors and linkers do it.
    package func replace(_ name: String, with bytes: [UInt8], mode: UInt32 = 0o644) throws {
        try write(bytes, to: "\(name).new")
        guard chmod(file("\(name).new"), mode) == 0,
            rename(file("\(name).new"), file(name)) == 0
        else { throw SpawnFailure(call: "rename", code: errno) }
    }

    /// A program for the shell.
    package func replace(_ name: String, withScript script: String) throws {
        try replace(name, with: Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: file(name))))
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name))
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: file(name), withIntermediateDirectories: false)
    }

    package func permissions(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// The names in it, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
