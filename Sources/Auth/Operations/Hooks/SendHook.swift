internal import AuthDomain
internal import Bytes
internal import JSON
package import Time

extension HookServices {
    /// Hands messages to the application instead of a mail system; nil without the hook `send`.
    package func sender(_ clock: WallClock) -> MailSender? {
        guard has(.send) else { return nil }
        return MailSender { mail, id, _ throws(MailFailure) in
            try deliver(HookEvent(sending: mail, id: id, at: clock.now()))
        }
    }
}

extension HookEvent {
    /// The unrendered message: its kind, and the values for a template.
    fileprivate init(sending mail: Mail, id: String, at now: Instant) {
        var values = JSONObject()
        for (name, value) in mail.values.sorted(by: { $0.key < $1.key }) {
            values[name] = .string(value)
        }
        var event: JSONObject = [
            "hook": .string(HookKind.send.rawValue), "id": .string(id),
            "time": .number(JSONNumber(now.seconds)), "kind": .string(mail.kind.rawValue),
            "to": .string(mail.to), "values": .object(values),
        ]
        event["user"] = mail.user.map { ["id": .string($0.text)] }
        event["language"] = mail.language.map { .string($0) }
        event["expiresAt"] = mail.expiresAt.map { .number(JSONNumber($0.seconds)) }
        self.init(kind: .send, id: id, time: now, bytes: event.serialized)
    }
}

/// The answer of `send`: `{"sent": true}`, or `{"sent": false}` if the address cannot be
/// reached, so that it is not tried again. Anything else is a failure.
enum SendAnswer {
    private static let limits = JSONLimits(
        bytesMax: HookAnswer.bytesMax, depthMax: 2, membersMax: 16)

    static func isSent(parsing bytes: [UInt8]) throws(HookFailure) -> Bool {
        guard bytes.count <= HookAnswer.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: limits))?.objectValue?.members,
            members.count == 1, members[0].name.isSame(as: "sent"),
            let isSent = members[0].value.boolValue
        else { throw .malformed }
        return isSent
    }
}
