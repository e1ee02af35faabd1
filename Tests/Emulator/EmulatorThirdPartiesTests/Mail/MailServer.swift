import BaseTestSupport
import EmulatorAWS
import EmulatorBase
import EmulatorThirdParties

/// The mailbox and SES on a real server.
final class MailServer: Sendable {
    let harness: MailHarness
    let server: Server
    let timers: ManualTimers

    init(_ harness: MailHarness, timers: ManualTimers = ManualTimers()) throws {
        self.harness = harness
        self.timers = timers
        let mail = MailService(mailbox: harness.mailbox, after: timers.after)
        let ses = harness.service
        server = try Server { request, slot in
            if MailService.serves(path: request.path) { return mail.handle(request, slot) }
            guard SESCall.serves(path: request.path) else {
                slot.respond(ServerResponse(status: 404))
                return
            }
            let call = ServiceCall(
                method: request.method, target: request.target, headers: request.headers,
                body: request.body, sourceAddress: request.peer.hostText)
            slot.respond(ServerResponse(ses.answer(SESCall(call))))
        }
    }

    /// Sends a request whose response may be delayed.
    func start(
        _ method: String, _ target: String, _ headers: [String] = ["Accept: */*"]
    ) throws -> LoopbackClient {
        let client = try LoopbackClient(port: server.port)
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
        client.send(lines.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n")
        return client
    }

    func get(
        _ target: String, _ headers: [String] = ["Accept: */*"]
    ) throws -> LoopbackClient.Answer {
        try #require(start("GET", target, headers).answer())
    }
}

extension LoopbackClient.Answer {
    func json() throws -> JSON { try JSON.parse(Array(body.utf8), limits: .response) }
}
