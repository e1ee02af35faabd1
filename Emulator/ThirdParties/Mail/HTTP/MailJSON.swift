internal import Bytes
internal import JSON
internal import Time

/// The JSON format of messages.
enum MailJSON {
    /// An entry of a list.
    static func entry(_ entry: MailEntry) -> JSONObject {
        var object: JSONObject = ["id": .string(String(entry.id))]
        object["messageId"] =
            entry.summary.messageID.isEmpty ? nil : .string(entry.summary.messageID)
        object["source"] = .string(entry.summary.source)
        object["receivedAt"] = .string(entry.receivedAt.iso8601Milliseconds)
        object["size"] = .number(entry.byteCount)
        object["from"] = .string(entry.summary.from.joined(separator: ", "))
        object["to"] = MailSummary.list(entry.summary.to)
        object["cc"] = MailSummary.list(entry.summary.cc)
        object["bcc"] = MailSummary.list(entry.summary.bcc)
        object["recipients"] = MailSummary.list(entry.summary.recipients)
        object["subject"] = .string(entry.summary.subject)
        object["preview"] = .string(entry.summary.preview)
        object["attachmentCount"] = .number(entry.summary.attachmentCount)
        object["failure"] = entry.summary.failure.map { .string($0) }
        return object
    }

    /// All of one message except its raw bytes.
    static func mail(_ mail: StoredMail) -> JSONObject {
        let message = mail.message
        let contents = MailContents(message)
        var object = entry(mail.entry)
        object["preview"] = nil
        object["attachmentCount"] = nil
        object["replyTo"] = MailSummary.list(message.addresses("reply-to").map(\.text))
        object["sender"] = .string(mail.entry.summary.sender)
        object["text"] = message.text.map { .string($0) } ?? .null
        object["html"] = message.html.map { .string($0) } ?? .null
        object["links"] = MailSummary.list(contents.links)
        object["codes"] = MailSummary.list(contents.codes)
        object["attachments"] = .array(
            message.attachments.enumerated().map { index, attachment in
                var json: JSONObject = [
                    "name": attachment.name.map { .string($0) } ?? .null,
                    "type": .string(attachment.type), "size": .number(attachment.bytes.count),
                    "url": .string(
                        "\(MailService.prefix)/\(mail.entry.id)/attachments/\(index)"),
                ]
                json["contentId"] = attachment.contentID.map { .string($0) }
                return .object(json)
            })
        object["headers"] = .array(
            message.headers.map { ["name": .string($0.name), "value": .string($0.text)] })
        object["tags"] = .array(
            mail.entry.summary.tags.map {
                ["name": .string($0.name), "value": .string($0.value)]
            })
        object["notes"] = MailSummary.list(message.notes)
        return object
    }
}
