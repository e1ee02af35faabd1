internal import Foundation
internal import Glibc
internal import Synchronization

/// A temporary directory of one test, removed with the last reference to it, or when the process
/// exits.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/latchkey-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SpawnFailure(call: "mkdtemp", code: errno) }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.path = path
        _ = Self.removalAtExit
        Self.present.withLock { _ = $0.insert(path) }
    }

    deinit {
        Self.present.withLock { _ = $0.remove(path) }
        Self.removeAll(at: path)
    }

    private static let present = Mutex<Set<String>>([])

    /// For folders of static values, which have no end. Their emulators die after this process, and
    /// could leave a file.
    private static let removalAtExit = atexit {
        for path in present.withLock({ $0 }) { removeAll(at: path) }
    }

    private static func removeAll(at path: String) {
        // A test may have made it read-only.
        chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try write(bytes, to: name, mode: 0o644)
    }

    /// Replaces a file atomically, as editors and linkers do.
    package func replace(_ name: String, with bytes: [UInt8], mode: UInt32 = 0o644) throws {
        try write(bytes, to: "\(name).new", mode: mode)
        if mode & 0o111 != 0 { try waitUntilUnwritten("\(name).new") }
        guard rename(file("\(name).new"), file(name)) == 0 else {
            throw SpawnFailure(call: "rename", code: errno)
        }
    }

    /// Close-on-exec: otherwise a program started at the same time would inherit the descriptor,
    /// and a file that is open for writing cannot be executed (ETXTBSY).
    private func write(_ bytes: [UInt8], to name: String, mode: UInt32) throws {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let descriptor = open(file(name), flags, mode)
        guard descriptor >= 0 else { throw SpawnFailure(call: "open \(name)", code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                throw SpawnFailure(call: "write \(name)", code: errno)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// A process that is about to exec has copies of our descriptors for a moment. A read lease is
    /// only granted if no process has the file open for writing.
    private func waitUntilUnwritten(_ name: String) throws {
        let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SpawnFailure(call: "open \(name)", code: errno) }
        defer { close(descriptor) }
        // F_SETLEASE, which Swift's Glibc module does not export.
        let setLease: Int32 = 1024
        for _ in 0..<20_000 {
            // A file system without leases returns another error.
            guard fcntl(descriptor, setLease, F_RDLCK) != 0, errno == EAGAIN else {
                _ = fcntl(descriptor, setLease, F_UNLCK)
                return
            }
            usleep(1000)
        }
        throw SpawnFailure(call: "close by all of \(name)", code: ETXTBSY)
    }

    /// Writes a shell script.
    package func replace(_ name: String, withScript script: String) throws {
        try replace(name, with: Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
    }

    /// Writes a shell script that becomes another program.
    ///
    /// - Parameter variables: as they stand before a command, such as `TZ=UTC`.
    package func replace(
        _ name: String, withCommand words: [String], setting variables: String = ""
    ) throws {
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        try replace(name, withScript: "\(variables) exec \(command)")
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
