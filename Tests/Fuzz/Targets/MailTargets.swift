internal import EmulatorThirdParties

extension FuzzTarget {
    /// Any bytes are a message, and no part of it is larger than the bytes allow.
    static let messages = FuzzTarget("messages", inputBytesMax: 16 << 10) {
        (input) throws(BrokenProperty) in
        let message = MIMEMessage(input)
        let again = MIMEMessage(input)
        try require(
            message.headers == again.headers && message.notes == again.notes,
            "the same bytes are read in two ways")
        // Decoding quoted-printable or base64 makes it smaller; a charset can make three bytes of
        // one, and an invalid byte becomes the three bytes of U+FFFD.
        let attached = message.attachments.reduce(0) { $0 + $1.bytes.count }
        try require(attached <= input.count, "attachments are larger than the message")
        let text = (message.text?.utf8.count ?? 0) + (message.html?.utf8.count ?? 0)
        try require(text <= 4 * input.count + 1024, "the text is larger than the message")
        for header in message.headers {
            try require(!header.name.contains("\n"), "a line end in a header's name")
            _ = header.text
        }
        for name in ["from", "to", "cc"] { _ = message.addresses(name) }
    }

    /// An accepted list of addresses gives the same addresses when it is serialised without names.
    static let addresses = FuzzTarget("addresses", inputBytesMax: 1024) {
        (input) throws(BrokenProperty) in
        guard let text = String(validating: input, as: UTF8.self),
            let list = try? MailAddress.list(parsing: text)
        else { return }
        let written = list.map { "<\($0.address)>" }.joined(separator: ", ")
        let again = try? MailAddress.list(parsing: written)
        try require(
            again?.map(\.address) == list.map(\.address), "written addresses differ when parsed")
        for address in list {
            try require(
                !address.address.unicodeScalars.contains { $0.value < 0x20 },
                "a control character in an address")
        }
    }

    /// Replies and messages do not depend on how the bytes are split.
    static let smtp = FuzzTarget("smtp") { (input) throws(BrokenProperty) in
        let whole = MailSession(input[...], pieceBytes: max(input.count, 1))
        let single = MailSession(input[...], pieceBytes: 1)
        try require(whole == single, "the session depends on how the bytes arrive")
        for mail in whole.mails {
            try require(!mail.recipients.isEmpty, "a message without recipients is delivered")
            try require(!hasBareLineEnd(mail.raw), "a message with a bare line end is delivered")
        }
        var lines = whole.replies[...]
        while let end = lines.firstIndex(of: 0x0A) {
            let line = lines[..<end]
            try require(line.last == 0x0D && line.count >= 4, "a reply is not a line")
            lines = lines[(end + 1)...]
        }
        try require(lines.isEmpty, "a reply is not a line")
    }

    private static func hasBareLineEnd(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            switch bytes[index] {
            case 0x0A: index == 0 || bytes[index - 1] != 0x0D
            case 0x0D: index + 1 == bytes.count || bytes[index + 1] != 0x0A
            default: false
            }
        }
    }
}

private struct MailSession: Equatable {
    private(set) var replies: [UInt8] = []
    private(set) var mails: [SMTPMail] = []

    init(_ bytes: ArraySlice<UInt8>, pieceBytes: Int) {
        // Small, so that inputs reach them.
        var session = SMTPSession(
            limits: SMTPLimits(
                messageBytesMax: 1024, recipientsMax: 3, commandBytesMax: 256, lineBytesMax: 128,
                commandsMax: 50, errorsMax: 5))
        var rest = bytes
        while !rest.isEmpty, !session.isOver {
            replies += session.receive(Array(rest.prefix(pieceBytes))) { mail in
                mails.append(mail)
                return .accepted(id: "1")
            }
            rest = rest.dropFirst(pieceBytes)
        }
    }
}
