package import AuthDomain
internal import Bytes
package import Time

/// A message in its transfer format (RFC 5322, RFC 2045, RFC 2046), with the alternatives text and
/// HTML.
package struct MailMessage: Sendable {
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
    /// The ID has letters and digits, and is the same for each attempt to send the message.
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

    /// The message in ASCII, with lines of at most 78 bytes that end with CR LF.
    package var bytes: [UInt8] { bytes(hasWholeLines: false) }

    /// The message for a file, from which people and scripts copy links: text in UTF-8 with whole
    /// lines, as far as RFC 5322 section 2.1.1 allows their length.
    package var fileBytes: [UInt8] { bytes(hasWholeLines: true) }

    private func bytes(hasWholeLines: Bool) -> [UInt8] {
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
            let whole = hasWholeLines ? Self.wholeLines(text, without: "--\(boundary)") : nil
            let encoding = whole == nil ? "quoted-printable" : "8bit"
            bytes += "Content-Transfer-Encoding: \(encoding)\r\n\r\n".utf8
            bytes += whole ?? QuotedPrintable.encode(text)
            bytes += "\r\n".utf8
        }
        bytes += "--\(boundary)--\r\n".utf8
        return bytes
    }

    /// nil for a text that is not valid without encoding.
    private static func wholeLines(_ text: String, without delimiter: String) -> [UInt8]? {
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        let isValid = lines.allSatisfy { line in
            line.count <= 998 && !line.starts(with: delimiter.utf8)
                && line.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
        }
        return isValid ? Array(lines.joined(separator: [0x0D, 0x0A])) : nil
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
