internal import Bytes
internal import EmulatorBase
internal import JSON
package import Time

/// A message to be stored.
package struct IncomingMail: Sendable {
    package enum Source: String, Sendable { case ses, smtp }

    package var source: Source
    /// The ID reported to the sender; empty for none.
    package var messageID = ""
    /// The envelope's sender, empty for a null reverse-path.
    package var sender: String
    /// The recipients of the envelope.
    package var recipients: [String]
    /// The complete message.
    package var raw: [UInt8]
    package var tags: [(name: String, value: String)] = []
    /// Why it was not sent, although the sender was told that it was.
    package var failure: String?

    package init(source: Source, sender: String, recipients: [String], raw: [UInt8]) {
        self.source = source
        self.sender = sender
        self.recipients = recipients
        self.raw = raw
    }
}

/// The fields of a message for lists and searches.
package struct MailSummary: Sendable, Equatable {
    package var source = ""
    package var messageID = ""
    package var sender = ""
    package var recipients: [String] = []
    package var from: [String] = []
    package var to: [String] = []
    package var cc: [String] = []
    /// Recipients of the envelope that the headers do not name.
    package var bcc: [String] = []
    package var subject = ""
    /// The beginning of the text.
    package var preview = ""
    package var attachmentCount = 0
    package var tags: [MailTag] = []
    package var failure: String?
}

package struct MailTag: Sendable, Equatable {
    package let name: String
    package let value: String
}

/// A message in the mailbox, without its content.
package struct MailEntry: Sendable, Equatable {
    /// Increases with each message and is never reused.
    package let id: Int64
    package let receivedAt: Instant
    package let byteCount: Int
    package let summary: MailSummary
}

/// A message in the mailbox.
package struct StoredMail: Sendable {
    package let entry: MailEntry
    package let raw: [UInt8]

    package var message: MIMEMessage { MIMEMessage(raw) }
}

extension MailSummary {
    private static let previewBytesMax = 160
    private static let subjectBytesMax = 2000

    init(_ mail: IncomingMail, _ message: MIMEMessage) {
        source = mail.source.rawValue
        messageID = mail.messageID
        sender = mail.sender
        recipients = mail.recipients
        from = message.addresses("from").map(\.text)
        let to = message.addresses("to")
        let cc = message.addresses("cc")
        self.to = to.map(\.text)
        self.cc = cc.map(\.text)
        bcc = mail.recipients.filter { recipient in
            !(to + cc).contains { $0.address.equalsIgnoringCase(recipient) }
        }
        subject = Self.cut(message.header("subject") ?? "", Self.subjectBytesMax)
        let text = message.text ?? message.html.map { HTMLText.plain($0) } ?? ""
        preview = Self.cut(
            text.prefix(4 * Self.previewBytesMax)
                .split(whereSeparator: \.isWhitespace).joined(separator: " "),
            Self.previewBytesMax)
        attachmentCount = message.attachments.count
        tags = mail.tags.map { MailTag(name: $0.name, value: $0.value) }
        failure = mail.failure
    }

    /// Truncates at a character boundary.
    private static func cut(_ text: String, _ bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytesMax)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end]) + "…"
    }

    /// The stored form.
    var json: JSONObject {
        var object: JSONObject = [
            "source": .string(source), "messageId": .string(messageID), "sender": .string(sender),
            "recipients": Self.list(recipients), "from": Self.list(from), "to": Self.list(to),
            "cc": Self.list(cc), "bcc": Self.list(bcc), "subject": .string(subject),
            "preview": .string(preview), "attachmentCount": .number(attachmentCount),
            "tags": .array(
                tags.map { ["name": .string($0.name), "value": .string($0.value)] }),
        ]
        object["failure"] = failure.map { .string($0) }
        return object
    }

    static func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    /// nil if the JSON is not in the stored form.
    init?(_ json: JSON) {
        guard let object = json.objectValue else { return nil }
        func text(_ name: String) -> String { object[name]?.stringValue ?? "" }
        func texts(_ name: String) -> [String] {
            object[name]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
        source = text("source")
        messageID = text("messageId")
        sender = text("sender")
        recipients = texts("recipients")
        from = texts("from")
        to = texts("to")
        cc = texts("cc")
        bcc = texts("bcc")
        subject = text("subject")
        preview = text("preview")
        attachmentCount = object["attachmentCount"]?.int64Value.map { Int(clamping: $0) } ?? 0
        tags = (object["tags"]?.arrayValue ?? []).map { tag in
            MailTag(
                name: tag["name"]?.stringValue ?? "", value: tag["value"]?.stringValue ?? "")
        }
        failure = object["failure"]?.stringValue
    }
}
