import EmulatorIAM
import EmulatorMail
import EmulatorServer
import Glibc
import HTTP
import JSON
import Testing
import Time

/// The mailbox, and SES beside it, behind a real server.
final class MailServer: Sendable {
    let stage: MailStage
    let server: Server
    let timers: ManualTimers

    init(_ stage: MailStage, timers: ManualTimers = ManualTimers()) throws {
        self.stage = stage
        self.timers = timers
        let mail = MailService(mailbox: stage.mailbox, after: timers.after)
        let ses = stage.service
        server = try Server { request, slot in
            if MailService.serves(path: request.path) { return mail.handle(request, slot) }
            guard SESService.serves(path: request.path) else {
                slot.respond(ServerResponse(status: 404))
                return
            }
            let answer = ses.answer(
                ServiceCall(
                    method: request.method, target: request.target, headers: request.headers,
                    body: request.body, sourceAddress: request.peer.hostText))
            slot.respond(
                ServerResponse(status: answer.status, headers: answer.headers, body: answer.body))
        }
    }

    struct Answer {
        let status: Int
        let head: String
        let body: String

        func json() throws -> JSON { try JSON.parse(Array(body.utf8), limits: .response) }
        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { continue }
                return String(parts[1].drop { $0 == " " })
            }
            return nil
        }
    }

    /// Sends a request; the answer is read by `answer`.
    func ask(
        _ method: String, _ target: String, _ headers: [String] = ["Accept: */*"]
    ) throws -> MailConnection {
        let connection = try MailConnection(port: server.port)
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
        connection.send(lines.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n")
        return connection
    }

    func get(_ target: String, _ headers: [String] = ["Accept: */*"]) throws -> Answer {
        try ask("GET", target, headers).answer()
    }
}

/// One connection that is closed after its answer.
final class MailConnection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        // A server that does not answer fails the test instead of stopping it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { hangUp() }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func answer() throws -> MailServer.Answer {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        let parts = text.split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        let status = parts[0].split(separator: " ")
        try #require(status.count > 1)
        return MailServer.Answer(
            status: Int(status[1]) ?? 0, head: String(parts[0]), body: String(parts[1]))
    }
}
