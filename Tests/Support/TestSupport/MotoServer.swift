internal import Foundation

/// A DynamoDB for tests: `moto` from the virtual environment that `make venv` creates, one for the
/// whole test process, on a free port.
///
/// It ends when its standard input is closed, which happens when this process ends for any reason.
package final class MotoServer: Sendable {
    package let url: String
    private let process: Process
    private let input: Pipe

    private static let started = Result { try MotoServer() }

    /// Fails instead of skipping if moto is missing, because an untested backend is not a passed
    /// test.
    package static func shared() throws -> MotoServer { try started.get() }

    private init() throws {
        let python = URL(filePath: try VirtualEnvironment.program("python"))
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = python
        process.arguments = ["-c", Self.program]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { throw MotoFailure.notInstalled(python.path()) }
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(answer.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw MotoFailure.notInstalled(python.path())
        }
        url = "http://127.0.0.1:\(port)"
        self.process = process
        self.input = input
    }

    /// Serialises requests. moto (5.2.5) has no lock around reading and writing in a conditional
    /// write, and rolls back a cancelled transaction by restoring a copy of the table; DynamoDB is
    /// atomic in both.
    private static let program = """
        import os, sys, threading
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        moto = DomainDispatcherApplication(create_backend_app)
        turn = threading.Lock()

        def application(environ, start_response):
            with turn:
                return list(moto(environ, start_response))

        server = make_server("127.0.0.1", 0, application, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """
}

package enum MotoFailure: Error, CustomStringConvertible {
    case notInstalled(String)

    package var description: String {
        switch self {
        case .notInstalled(let python):
            "no moto at \(python): run `make venv`, or set LATCHKEY_VENV to an environment "
                + "with moto[server]"
        }
    }
}
