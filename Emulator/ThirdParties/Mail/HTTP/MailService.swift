internal import Bytes
package import EmulatorBase
internal import JSON
package import Time

/// The mailbox over HTTP, at `/_emulator/mail`:
///
///     GET    /_emulator/mail?to=&subject=&since=&limit=&before=   newest first
///     DELETE /_emulator/mail                                      all
///     GET    /_emulator/mail/ID                                   one
///     DELETE /_emulator/mail/ID
///     GET    /_emulator/mail/ID/raw | html | text | attachments/N
///     GET    /_emulator/mail/ID/link | code ?contains=            one line of text
///     GET    /_emulator/mail/wait ?to=&subject=&since=&after=&timeoutSeconds=
///     GET    /_emulator/mail/wait/link | code ?…&contains=
///     GET    /_emulator/mail/faults
///     PUT    /_emulator/mail/faults/NAME ?times=                  on
///     DELETE /_emulator/mail/faults[/NAME]                        off
///
/// ID is a message's number, the `MessageId` of SES, or `latest`, which accepts the parameters of
/// lists. `wait` returns the newest matching message, or with `after` the first one after that ID.
/// If there is none, it waits for the next, and returns 408 if none arrives. Browsers that open a
/// list or a message are sent to the dashboard, which shows it.
package final class MailService: Sendable {
    static let prefix = "/_emulator/mail"
    static let waitSecondsMax: Int64 = 300
    private static let listMax: Int64 = 1000
    private static let listedMax: Int64 = 50

    let mailbox: Mailbox
    let after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void

    /// `after` calls back after the delay, on any thread.
    package init(
        mailbox: Mailbox,
        after: @escaping @Sendable (Span, @escaping @Sendable () -> Void) -> Void
    ) {
        self.mailbox = mailbox
        self.after = after
    }

    /// `path` is percent-encoded.
    package static func serves(path: some StringProtocol) -> Bool {
        path == prefix || path.hasPrefix(prefix + "/")
    }

    package func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        do throws(MailError) {
            let asked = try MailRequest(request)
            if asked.path.first == "wait" { return try wait(asked, slot) }
            slot.respond(try answer(asked))
        } catch {
            slot.respond(MailResponse.refusal(error))
        }
    }

    private func answer(_ asked: MailRequest) throws(MailError) -> ServerResponse {
        guard let first = asked.path.first else { return try all(asked) }
        if first == "faults" { return try faults(asked) }
        let mail = try find(first, asked)
        switch (asked.method, asked.path.count) {
        case ("GET", 1), ("HEAD", 1):
            return asked.prefersHTML
                ? MailResponse.inDashboard("/\(mail.entry.id)")
                : MailResponse.json(MailJSON.mail(mail))
        case ("DELETE", 1):
            _ = try kept { () throws(MailboxFailure) in try mailbox.delete(mail.entry.id) }
            return MailResponse.nothing()
        case ("GET", _), ("HEAD", _): return try part(mail, asked)
        default: throw .methodNotAllowed()
        }
    }

    private func all(_ asked: MailRequest) throws(MailError) -> ServerResponse {
        switch asked.method {
        case "GET", "HEAD":
            let filter = try asked.filter()
            if asked.prefersHTML {
                let query = ["to", "subject"].compactMap { name in asked[name].map { (name, $0) } }
                return MailResponse.inDashboard(
                    query.isEmpty ? "" : "?" + PercentEncoding.form(query))
            }
            let limit = try asked.integer("limit", in: 1...Self.listMax) ?? Self.listedMax
            let entries = try kept { () throws(MailboxFailure) in
                try mailbox.list(filter, limit: Int(limit))
            }
            return MailResponse.json([
                "messages": .array(entries.map { .object(MailJSON.entry($0)) }),
                "total": .number(mailbox.count),
            ])
        case "DELETE":
            try kept { () throws(MailboxFailure) in try mailbox.deleteAll() }
            return MailResponse.nothing()
        default: throw .methodNotAllowed()
        }
    }

    private func find(_ id: String, _ asked: MailRequest) throws(MailError) -> StoredMail {
        let mailbox = mailbox
        let filter = try asked.filter()
        let found = try kept { () throws(MailboxFailure) -> StoredMail? in
            if id == "latest" {
                return try mailbox.list(filter, limit: 1).first.flatMap {
                    entry throws(MailboxFailure) in try mailbox.message(entry.id)
                }
            }
            guard let number = Int64(id) else { return try mailbox.message(messageID: id) }
            return try mailbox.message(number)
        }
        guard let found else { throw .notFound("Message not found") }
        return found
    }

    private func part(
        _ mail: StoredMail, _ asked: MailRequest
    ) throws(MailError) -> ServerResponse {
        let message = mail.message
        switch (asked.path[1], asked.path.count) {
        case ("raw", 2): return MailResponse.make(200, "message/rfc822", mail.raw)
        case ("text", 2):
            guard let text = message.text else { throw .notFound("The message has no text") }
            return MailResponse.make(200, "text/plain; charset=utf-8", Array(text.utf8))
        case ("html", 2):
            guard let html = message.html else { throw .notFound("The message has no HTML") }
            return MailResponse.untrustedHTML(InlineImages.place(message.attachments, in: html))
        case ("link", 2), ("code", 2):
            guard let found = Extraction(asked.path[1], asked["contains"])?.find(in: mail) else {
                throw .notFound("The message has no \(asked.path[1])")
            }
            return MailResponse.text(found)
        case ("attachments", 3):
            guard let index = Int(asked.path[2]), message.attachments.indices.contains(index) else {
                throw .notFound("Attachment not found")
            }
            return MailResponse.attachment(message.attachments[index])
        default: throw .notFound("Not found")
        }
    }

    /// Failures of the mailbox are server errors.
    func kept<Result>(
        _ body: () throws(MailboxFailure) -> Result
    ) throws(MailError) -> Result {
        do throws(MailboxFailure) {
            return try body()
        } catch {
            throw MailError(status: 500, message: "The mailbox cannot be read or written")
        }
    }
}

/// Extracts a line of text from a message.
struct Extraction: Sendable {
    private let isLink: Bool
    private let part: String?

    /// nil for an unknown name.
    init?(_ name: String, _ part: String?) {
        guard name == "link" || name == "code" else { return nil }
        isLink = name == "link"
        self.part = part
    }

    func find(in mail: StoredMail) -> String? {
        let contents = MailContents(mail.message)
        return isLink ? contents.link(containing: part) : contents.code(besides: part)
    }
}
