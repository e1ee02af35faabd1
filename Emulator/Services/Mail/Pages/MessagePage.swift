internal import Bytes
internal import EmulatorBase
internal import HTML
internal import Time

/// The page of one message.
struct MessagePage {
    private let mail: StoredMail
    private let message: MIMEMessage
    private let contents: MailContents

    init(_ mail: StoredMail) {
        self.mail = mail
        message = mail.message
        contents = MailContents(message)
    }

    private var id: String { String(mail.entry.id) }
    private var subject: String {
        mail.entry.summary.subject.isEmpty ? "(no subject)" : mail.entry.summary.subject
    }

    var html: String {
        HTML.page(subject) { html in
            bar(&html)
            html.markup("<main class=\"main\"><article class=\"card\">")
            if let failure = mail.entry.summary.failure {
                html.element("<div class=\"note\">Not sent: ", failure, "</div>")
            }
            html.element("<div class=\"inside\"><h2>", subject, "</h2>")
            facts(&html)
            html.markup("</div>")
            found(&html)
            html.markup("</article>")
            bodies(&html)
            attachments(&html)
            headers(&html)
            html.markup("</main>")
        }
    }

    private func bar(_ html: inout HTML) {
        html.markup(
            """
            <header class="bar"><h1><a href="/_emulator/mail">Mailbox</a></h1>
            <a href="/">Dashboard</a>
            <span class="space"></span>
            """)
        html.element("<a class=\"button\" href=\"/_emulator/mail/", id, "/raw\">Source</a>")
        html.element("<form method=\"post\" action=\"/_emulator/mail/", id, "/delete\">")
        html.markup("<button class=\"danger\">Delete</button></form></header>")
    }

    private func facts(_ html: inout HTML) {
        let summary = mail.entry.summary
        let tags = summary.tags.map { "\($0.name)=\($0.value)" }
        let facts: [(StaticString, String)] = [
            (
                "<dt>From</dt><dd>",
                (summary.from.isEmpty ? [summary.sender] : summary.from)
                    .joined(separator: ", ")
            ),
            ("<dt>To</dt><dd>", summary.to.joined(separator: ", ")),
            ("<dt>Cc</dt><dd>", summary.cc.joined(separator: ", ")),
            ("<dt>Bcc</dt><dd>", summary.bcc.joined(separator: ", ")),
            (
                "<dt>Reply to</dt><dd>",
                message.addresses("reply-to").map(\.text).joined(separator: ", ")
            ),
            ("<dt>Received</dt><dd>", MailTime.text(mail.entry.receivedAt) + " UTC"),
            ("<dt>Received by</dt><dd>", summary.source == "ses" ? "SES" : "SMTP"),
            ("<dt>Message ID</dt><dd>", summary.messageID),
            ("<dt>Tags</dt><dd>", tags.joined(separator: ", ")),
        ]
        html.markup("<dl>")
        for (open, text) in facts where !text.isEmpty { html.element(open, text, "</dd>") }
        html.markup("</dl>")
    }

    private func found(_ html: inout HTML) {
        guard !contents.codes.isEmpty || !contents.links.isEmpty else { return }
        html.markup("<div class=\"found\">")
        for code in contents.codes.prefix(5) {
            html.element("<span class=\"code\">", code, "</span>")
        }
        for link in contents.links.prefix(20) {
            html.markup("<span class=\"link\">")
            // Only http links: a link with another scheme could run a script.
            if link.asciiLowercased.hasPrefix("http://")
                || link.asciiLowercased.hasPrefix("https://")
            {
                html.element("<a rel=\"noreferrer\" href=\"", link, "\">")
                html.element("", link, "</a>")
            } else {
                html.escaped(link)
            }
            html.markup("</span>")
        }
        html.markup("</div>")
    }

    private func bodies(_ html: inout HTML) {
        for note in message.notes {
            html.element("<div class=\"card\"><div class=\"note\">", note, "</div></div>")
        }
        if message.html != nil {
            html.markup("<section class=\"card\"><h3>HTML</h3>")
            html.element(
                "<iframe sandbox title=\"HTML\" src=\"/_emulator/mail/", id,
                "/html\"></iframe></section>")
        }
        if let text = message.text {
            html.element(
                "<section class=\"card\"><h3>Text</h3><pre>", text, "</pre></section>")
        }
    }

    private func attachments(_ html: inout HTML) {
        guard !message.attachments.isEmpty else { return }
        html.markup("<section class=\"card\"><h3>Attachments</h3>")
        for (index, attachment) in message.attachments.enumerated() {
            html.element("<a class=\"row\" href=\"/_emulator/mail/", id, "/attachments/")
            html.element("", String(index), "\">")
            html.element("<span class=\"who\">", attachment.name ?? "(no name)", "</span>")
            html.element("<span class=\"what\">", attachment.type, "</span>")
            html.element(
                "<span class=\"when\">", "\(attachment.bytes.count) bytes", "</span></a>")
        }
        html.markup("</section>")
    }

    private func headers(_ html: inout HTML) {
        let lines = message.headers.map { "\($0.name): \($0.text)" }
        html.element(
            "<details class=\"card\"><summary><h3>Headers</h3></summary><pre>",
            lines.joined(separator: "\n"), "</pre></details>")
    }
}
