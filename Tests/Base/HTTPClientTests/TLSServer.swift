import Foundation

/// `openssl s_server` with a self-signed certificate, in a temporary directory.
final class TLSServer {
    struct Failure: Error { let step: String }

    let port: Int
    let certificatePath: String
    private let process: Process
    private let directory: URL

    /// `protocolFlags` restrict the TLS versions, such as `-tls1_1`.
    init(names: String, protocolFlags: [String] = []) throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "latchkey-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let key = directory.appending(path: "key.pem").path
        certificatePath = directory.appending(path: "certificate.pem").path
        let request = Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)",
            "-keyout", key, "-out", certificatePath,
        ])
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()
        guard request.terminationStatus == 0 else { throw Failure(step: "certificate") }

        process = Self.openssl(
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", certificatePath, "-key", key,
                "-www", "-naccept", "100",
            ] + protocolFlags)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It prints `ACCEPT 127.0.0.1:PORT` when it listens.
        var text = ""
        while true {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw Failure(step: "start") }
            text += String(decoding: piece, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard let line = lines.first(where: { $0.hasPrefix("ACCEPT ") }) else { continue }
            guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
                throw Failure(step: "port")
            }
            self.port = port
            return
        }
    }

    deinit {
        // Not SIGTERM, because a child inherits the signal mask of its parent's thread, and the
        // threads of the test runner block nearly all signals.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func openssl(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        return process
    }
}
