import BaseTestSupport

/// Sends mail by SES.
final class MailWriter: Writer {
    private struct State: Sendable {
        var sent: [(id: String, subject: String)] = []
        var lookedAt = 0
    }

    private let state = Mutex(State())

    var acknowledgedCount: Int { state.withLock { $0.sent.count } }

    func step(_ caller: EmulatorClient) throws {
        let subject = "message \(acknowledgedCount)"
        let body: JSON = [
            "FromEmailAddress": "app@example.com",
            "Destination": ["ToAddresses": ["ada@example.com"]],
            "Content": [
                "Simple": [
                    "Subject": ["Data": .string(subject)], "Body": ["Text": ["Data": "hello"]],
                ]
            ],
        ]
        let request = HTTPRequest(
            .post, caller.emulator.awsURL + "/v2/email/outbound-emails",
            headers: [HTTPHeader("Content-Type", "application/json")], body: body.serialized,
            limits: EmulatorClient.limits)
        let answer = try caller.sendSigned(request, service: "ses")
        let id = try #require(answer.json?["MessageId"]?.stringValue, "\(answer.text)")
        state.withLock { $0.sent.append((id, subject)) }
    }

    func verify(_ caller: EmulatorClient) throws {
        let new = state.withLock { state in
            defer { state.lookedAt = state.sent.count }
            return Array(state.sent[state.lookedAt...])
        }
        try check(new, caller)
    }

    func verifyAll(_ caller: EmulatorClient) throws {
        try check(state.withLock { $0.sent }, caller)
    }

    private func check(_ sent: [(id: String, subject: String)], _ caller: EmulatorClient) throws {
        for (id, subject) in sent {
            let answer = try caller.app(
                .get, "/_emulator/mail/\(id)", headers: [("Accept", "application/json")])
            expectEqual(answer.json?["subject"]?.stringValue, subject, "\(answer.text)")
        }
    }
}
