package import AuthDomain
internal import Bytes
package import Time

/// A message in its transfer format (RFC 5322, RFC 2045, RFC 2046), with the alternatives text and
/// HTML.
package struct MailMessage: Sendable {
    /// The sender of messages.
    package struct Sender: Equatable, Sendable {
        package let address: EmailAddress
        package let name: String?

        package init(_ address: EmailAddress, name: String? = nil) {
            self.address = address
            self.name = name
        }
    }

    package let sender: Sender
    package let to: EmailAddress
    package let content: RenderedMail
    /// Letters and digits; the same for each attempt to send the message.
    package let id: String
    package let date: Instant

    package init(
        from sender: Sender, to: EmailAddress, _ content: RenderedMail, id: String, date: Instant
    ) {
        self.sender = sender
        self.to = to
        self.content = content
        self.id = id
        self.date = date
    }

    /// ASCII, with lines of at most 78 bytes that end with CR LF.
    package var bytes: [UInt8] {
        // `=_` is not a valid quoted-printable sequence (RFC 2045 section 6.7), so no part can
        // contain the boundary.
        let boundary = "=_\(id)"
        let headers = [
            "Date: \(date.internetMessageDate)",
            "From: \(from)",
            "To: \(to.text)",
            "Message-ID: <\(id)@\(sender.address.domain)>",
            "Subject: \(HeaderText.unstructured(content.subject, column: 9))",
            // RFC 3834 section 5: prevents automatic replies.
            "Auto-Submitted: auto-generated",
            "Content-Language: \(content.language)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        var bytes = Array((headers.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        // The preferred one is last (RFC 2046 section 5.1.4).
        for (type, text) in [("plain", content.text), ("html", content.html)] {
            bytes += "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\n".utf8
            bytes += "Content-Transfer-Encoding: quoted-printable\r\n\r\n".utf8
            bytes += QuotedPrintable.encode(text)
            bytes += "\r\n".utf8
        }
        bytes += "--\(boundary)--\r\n".utf8
        return bytes
    }

    private var from: String {
        guard let name = sender.name.map(PlainText.line), !name.isEmpty else {
            return sender.address.text
        }
        let phrase = HeaderText.phrase(name, column: 6)
        let lastLine = phrase.utf8.split(separator: 0x0A).last?.count ?? 0
        let isLong = 6 + lastLine + sender.address.text.utf8.count + 3 > 76
        return phrase + (isLong ? "\r\n " : " ") + "<\(sender.address.text)>"
    }
}
