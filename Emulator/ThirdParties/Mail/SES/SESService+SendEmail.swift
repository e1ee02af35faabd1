internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import HTTP
internal import JSON
internal import Time

extension SESService {
    static let recipientsMax = 50

    func sendEmail(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        let destination = try SESDestination(exchange.body)
        let from = try exchange.body.text("FromEmailAddress").map {
            text throws(SESFailure) in try Self.address(text)
        }
        // The content has exactly one of three members.
        let content = try exchange.body.object("Content")
        let simple = try content?.object("Simple")
        let raw = try content?.object("Raw")
        let template = try content?.object("Template")
        guard [simple, raw, template].count(where: { $0 != nil }) == 1 else {
            throw .badRequest("Content must have exactly one of Simple, Raw and Template")
        }
        let tags = try Self.tags(exchange.body)
        let messageID = SESIdentifiers.messageID(at: exchange.now, random)
        var mail: IncomingMail
        if let raw {
            mail = try rawMail(raw, from, destination, messageID)
        } else {
            guard let from else { throw .badRequest("FromEmailAddress is required") }
            let envelope = SESEnvelope(
                from: from, destination: destination,
                replyTo: try Self.addresses(exchange.body, "ReplyToAddresses"),
                messageID: messageID, now: exchange.now, region: exchange.region)
            if let simple {
                mail = try simpleMail(simple, envelope)
            } else if let template {
                mail = try templateMail(template, envelope, exchange)
            } else {
                throw .internalFailure
            }
        }
        mail.messageID = messageID
        mail.tags = tags
        try check(mail)
        try authorize(mail, isRaw: raw != nil, exchange)
        if let fault = mailbox.faults.take() { throw SESFailure(fault) }
        let finished = mail
        _ = try kept { () throws(MailboxFailure) in try mailbox.deliver(finished) }
        return ["MessageId": .string(messageID)]
    }

    private func check(_ mail: IncomingMail) throws(SESFailure) {
        guard !mail.recipients.isEmpty else { throw .badRequest("Recipient list is empty.") }
        guard mail.recipients.count <= Self.recipientsMax else {
            throw .badRequest("Recipient count exceeds \(Self.recipientsMax).")
        }
        guard mail.raw.count <= Mailbox.messageBytesMax else {
            throw .badRequest(
                "Message length is more than \(Mailbox.messageBytesMax) bytes long: "
                    + "'\(mail.raw.count)'.")
        }
    }

    /// Checks whether the caller may send as the sender, and whether the sender is verified.
    ///
    /// AWS authorises against the verified identity; an address takes precedence over its domain.
    /// If neither exists, the emulator checks both: one of them must be allowed, and neither
    /// denied. A raw message may also be allowed by `ses:SendRawEmail`; in API version 1 only that
    /// action is checked.
    private func authorize(
        _ mail: IncomingMail, isRaw: Bool, _ exchange: SESOperationContext
    ) throws(SESFailure) {
        let address = mail.sender.asciiLowercased
        let domain = MailAddress(name: nil, address: address).domain
        var identities: [String] = []
        for name in [address, domain] {
            let isKnown = try kept { () throws(MailboxFailure) in
                try mailbox.document(.identity, name) != nil
            }
            if isKnown { identities.append(name) }
        }
        let asked = identities.first.map { [$0] } ?? [address, domain]
        let actions =
            switch (isRaw, exchange.apiVersion) {
            case (false, _): ["ses:SendEmail"]
            case (true, "1"): ["ses:SendRawEmail"]
            case (true, _): ["ses:SendEmail", "ses:SendRawEmail"]
            }
        let recipients = mail.recipients
        let decisions = actions.flatMap { action in
            asked.map { name in
                exchange.decision(action, arn(identity: name, exchange)) { context in
                    context.set("ses:FromAddress", address)
                    context.set("ses:Recipients", all: recipients)
                }
            }
        }
        guard decisions.contains(.allowed), !decisions.contains(.denied) else {
            throw .notAuthorized(
                exchange.signed.identity, actions[0], arn(identity: asked[0], exchange))
        }
        guard !options.requiresVerifiedSenders || !identities.isEmpty else {
            throw .notVerified(mail.sender, region: exchange.region)
        }
    }

    func arn(identity: String, _ exchange: SESOperationContext) -> String {
        "arn:aws:ses:\(exchange.region):\(account):identity/\(identity)"
    }

    // MARK: Simple, raw and template content

    private func rawMail(
        _ raw: SESObject, _ from: MailAddress?, _ destination: SESDestination, _ messageID: String
    ) throws(SESFailure) -> IncomingMail {
        let bytes = try raw.requiredBlob("Data")
        guard bytes.count <= Mailbox.messageBytesMax else {
            throw .badRequest(
                "Message length is more than \(Mailbox.messageBytesMax) bytes long: "
                    + "'\(bytes.count)'.")
        }
        let message = MIMEMessage(bytes)
        var sender = from
        if sender == nil,
            let header = message.headers.first(where: { $0.name.equalsIgnoringCase("from") })
        {
            sender = try Self.address(header.value)
        }
        guard let sender else { throw .badRequest("Missing required header 'From'.") }
        var recipients = destination.all.map(\.address)
        if recipients.isEmpty {
            let named = ["to", "cc", "bcc"].flatMap { message.addresses($0) }
            for address in named { try Self.check(address) }
            recipients = named.map(\.address)
        }
        return IncomingMail(
            source: .ses, sender: sender.address, recipients: recipients,
            raw: RawHeaders.removing("bcc", from: bytes))
    }

    private func simpleMail(
        _ simple: SESObject, _ envelope: SESEnvelope
    ) throws(SESFailure) -> IncomingMail {
        guard let subject = try simple.object("Subject") else {
            throw .badRequest("Content.Simple.Subject is required")
        }
        guard let body = try simple.object("Body") else {
            throw .badRequest("Content.Simple.Body is required")
        }
        let text = try body.object("Text").map { part throws(SESFailure) in
            try part.requiredText("Data")
        }
        let html = try body.object("Html").map { part throws(SESFailure) in
            try part.requiredText("Data")
        }
        guard text != nil || html != nil else {
            throw .badRequest("Content.Simple.Body must have Text, Html or both")
        }
        return try compose(
            subject: try subject.requiredText("Data"), text: text, html: html, simple, envelope)
    }

    private func templateMail(
        _ template: SESObject, _ envelope: SESEnvelope, _ exchange: SESOperationContext
    ) throws(SESFailure) -> IncomingMail {
        let content = try templateContent(template)
        let data = try Self.templateData(try template.text("TemplateData", bytesMax: 262_144))
        // SES accepts a message that cannot be rendered and reports the failure later as an event.
        let (rendered, failure) = content.rendered(data)
        var mail = try compose(
            subject: rendered.subject ?? "", text: rendered.text, html: rendered.html, template,
            envelope)
        mail.failure = failure?.message
        return mail
    }

    private func compose(
        subject: String, text: String?, html: String?, _ content: SESObject, _ envelope: SESEnvelope
    ) throws(SESFailure) -> IncomingMail {
        guard !subject.hasControls else {
            throw .badRequest("The subject contains control characters")
        }
        var writer = MIMEWriter(boundaryKey: Hex.encode(random.bytes(12)))
        envelope.write(to: &writer)
        writer.header("Subject", text: subject)
        for header in try content.objects("Headers", countMax: 15) {
            let (name, value) = try Self.header(header)
            writer.header(name, value)
        }
        let files = try content.objects("Attachments", countMax: 100).map {
            file throws(SESFailure) in try MIMEWriter.File(file)
        }
        writer.body(text: text, html: html, files: files)
        return IncomingMail(
            source: .ses, sender: envelope.from.address,
            recipients: envelope.destination.all.map(\.address), raw: writer.bytes)
    }
}
