internal import Bytes
internal import EmulatorBase
internal import HTML
internal import Time

/// The page with the list of messages.
struct InboxPage {
    let entries: [MailEntry]
    let filter: MailFilter
    let total: Int

    var html: String {
        HTML.page("Mailbox") { html in
            html.markup("<header class=\"bar\"><h1><a href=\"/_emulator/mail\">Mailbox</a></h1>")
            html.element("<span class=\"count\">", count, "</span>")
            html.markup("<a href=\"/\">Dashboard</a>")
            html.markup("<span class=\"space\"></span>")
            html.markup("<form method=\"get\" action=\"/_emulator/mail\">")
            field(&html, "<input name=\"to\" placeholder=\"Recipient\" value=\"", filter.to)
            field(&html, "<input name=\"subject\" placeholder=\"Subject\" value=\"", filter.subject)
            html.markup("<button>Find</button></form>")
            if total > 0 {
                html.markup(
                    """
                    <form method="post" action="/_emulator/mail/delete">
                    <button class="danger">Delete all</button></form>
                    """)
            }
            html.markup("</header><main class=\"main\"><div class=\"card\">")
            if entries.isEmpty { empty(&html) }
            for entry in entries { row(&html, entry) }
            html.markup("</div>")
            if entries.count >= Int(MailService.pageMax), let last = entries.last {
                older(&html, than: last.id)
            }
            html.markup("</main>")
        }
    }

    private var count: String {
        switch total {
        case 0: "no messages"
        case 1: "1 message"
        default: "\(total) messages"
        }
    }

    private func field(_ html: inout HTML, _ open: StaticString, _ value: String?) {
        html.element(open, value ?? "", "\">")
    }

    private func empty(_ html: inout HTML) {
        html.markup("<div class=\"empty\">")
        html.markup(
            total == 0
                ? "<b>No mail yet</b>What is sent through SES or SMTP arrives here."
                : "<b>Nothing found</b>No message matches.")
        html.markup("</div>")
    }

    private func row(_ html: inout HTML, _ entry: MailEntry) {
        let summary = entry.summary
        html.element("<a class=\"row\" href=\"/_emulator/mail/", String(entry.id), "\">")
        let to = summary.to.isEmpty ? summary.recipients : summary.to
        html.element("<span class=\"who\">", to.joined(separator: ", "), "</span>")
        html.markup("<span class=\"what\">")
        if summary.failure != nil { html.markup("<i class=\"tag bad\">not sent</i>") }
        if summary.attachmentCount > 0 {
            html.element("<i class=\"tag\">", "\(summary.attachmentCount) attached", "</i>")
        }
        html.escaped(summary.subject.isEmpty ? "(no subject)" : summary.subject)
        html.element("<span>", summary.preview, "</span></span>")
        html.element("<time class=\"when\">", MailTime.text(entry.receivedAt), "</time></a>")
    }

    private func older(_ html: inout HTML, than id: Int64) {
        var pairs = [("before", String(id))]
        if let to = filter.to { pairs.append(("to", to)) }
        if let subject = filter.subject { pairs.append(("subject", subject)) }
        html.element(
            "<p><a class=\"button\" href=\"/_emulator/mail?", PercentEncoding.form(pairs),
            "\">Older</a></p>")
    }
}

enum MailTime {
    /// "2025-01-02 03:04:05", in UTC.
    static func text(_ instant: Instant) -> String {
        let date = CalendarDate(instant)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day)) "
            + "\(two(date.hour)):\(two(date.minute)):\(two(date.second))"
    }
}
