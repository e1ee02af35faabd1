internal import Foundation

/// An SMTP server in Python, with or without TLS, that refuses chosen commands.
package final class ScriptedSMTPServer {
    package struct Failure: Error { let step: String }

    /// The commands and the message of one session.
    package struct Session: Decodable {
        package let commands: [String]
        package let data: String?
        package let isSecure: Bool
    }

    package let port: UInt16
    package let certificatePath: String
    private let process: Process
    private let directory: URL
    private let output: FileHandle

    /// - Parameter options: `starttls`, `implicit`, `silent`, `hangup` and `<VERB>=<reply>`.
    package init(_ options: [String] = []) throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "latchkey-smtp-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let key = directory.appending(path: "key.pem").path
        certificatePath = directory.appending(path: "certificate.pem").path
        // A client that requires TLS reads the certificate before it connects.
        try Self.makeCertificate(certificatePath, key)

        process = Process()
        process.executableURL = URL(filePath: SystemPython.words[0])
        process.arguments =
            SystemPython.words.dropFirst() + ["-c", Self.program, certificatePath, key] + options
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        output = pipe.fileHandleForReading
        try process.run()
        guard let line = Self.line(output), let port = UInt16(line) else {
            throw Failure(step: "start")
        }
        self.port = port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func makeCertificate(_ certificate: String, _ key: String) throws {
        let request = Process()
        request.executableURL = URL(filePath: "/usr/bin/env")
        request.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()
        guard request.terminationStatus == 0 else { throw Failure(step: "certificate") }
    }

    /// The next session, when it has ended.
    package func session() throws -> Session {
        guard let line = Self.line(output) else { throw Failure(step: "session") }
        return try JSONDecoder().decode(Session.self, from: Data(line.utf8))
    }

    private static func line(_ output: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = try? output.read(upToCount: 1)?.first {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    private static let program = #"""
        import sys, ssl, socket, json, time
        certificate, key, *options = sys.argv[1:]
        replies = dict(o.split("=", 1) for o in options if "=" in o)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)

        def serve(connection, seen):
            if "silent" in options:
                time.sleep(60)
            if "implicit" in options:
                connection = context.wrap_socket(connection, server_side=True)
                seen["isSecure"] = True
            stream = connection.makefile("rwb")
            def say(text):
                stream.write(text.encode() + b"\r\n")
                stream.flush()
            say("220 test ESMTP")
            while True:
                line = stream.readline().decode().rstrip("\r\n")
                if not line:
                    return
                seen["commands"].append(line)
                verb = line.split(" ")[0].upper()
                if verb in replies:
                    say(replies[verb])
                elif verb == "EHLO":
                    tls = "starttls" in options and not seen["isSecure"]
                    say("250-test" + ("\r\n250-STARTTLS" if tls else ""))
                    say("250 AUTH PLAIN")
                elif verb == "STARTTLS":
                    say("220 go")
                    stream.flush()
                    connection = context.wrap_socket(connection, server_side=True)
                    stream = connection.makefile("rwb")
                    seen["isSecure"] = True
                elif verb == "AUTH":
                    if line.count(" ") == 1:
                        say("334 ")
                        seen["commands"].append(stream.readline().decode().rstrip("\r\n"))
                    say("235 welcome")
                elif verb == "DATA":
                    say("354 go")
                    lines = []
                    while (text := stream.readline().decode()) not in (".\r\n", ""):
                        lines.append(text)
                    seen["data"] = "".join(lines)
                    if "hangup" in options:
                        return connection.close()
                    say(replies.get("END", "250 ok"))
                elif verb == "QUIT":
                    return say("221 bye")
                else:
                    say("250 ok")

        while True:
            connection, _ = listener.accept()
            # A process that was started meanwhile may have inherited the client's end.
            connection.settimeout(3)
            seen = dict(commands=[], data=None, isSecure=False)
            try:
                serve(connection, seen)
            except OSError:
                pass
            print(json.dumps(seen), flush=True)
            connection.close()
        """#
}
