internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import JSON
internal import Time

extension SESService {
    private static let templatesMax = 20_000
    private static let contentBytesMax = 500 << 10
    private static let pageMax = 100

    func createTemplate(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        let name = try exchange.body.requiredText("TemplateName", bytesMax: 64)
        try exchange.require("ses:CreateEmailTemplate", arn(template: name, exchange))
        let isName = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F || $0 == 0x2D }
        guard !name.isEmpty, isName else {
            throw .badRequest("TemplateName has letters, digits, _ and - only")
        }
        guard let content = try exchange.body.object("TemplateContent") else {
            throw .badRequest("TemplateContent is required")
        }
        let known = try kept { () throws(MailboxFailure) in try mailbox.documents(.template) }
        guard !known.contains(where: { $0.name.isSame(as: name) }) else {
            throw .alreadyExists("Template \(name) already exists for account id \(account)")
        }
        guard known.count < Self.templatesMax else {
            throw .limitExceeded("The account has \(Self.templatesMax) templates")
        }
        try put(name, try Self.content(content), createdAt: exchange.now)
        return JSONObject()
    }

    func updateTemplate(_ name: String, _ exchange: SESOperationContext) throws(SESFailure)
        -> JSONObject
    {
        try exchange.require("ses:UpdateEmailTemplate", arn(template: name, exchange))
        guard let content = try exchange.body.object("TemplateContent") else {
            throw .badRequest("TemplateContent is required")
        }
        let known = try known(template: name)
        try put(
            name, try Self.content(content),
            createdAt: Instant(milliseconds: known["createdAt"]?.int64Value ?? 0))
        return JSONObject()
    }

    func template(_ name: String, _ exchange: SESOperationContext) throws(SESFailure) -> JSONObject
    {
        try exchange.require("ses:GetEmailTemplate", arn(template: name, exchange))
        let known = try known(template: name)
        var content = JSONObject()
        for (wire, stored) in [("Subject", "subject"), ("Text", "text"), ("Html", "html")] {
            content[wire] = known[stored]
        }
        return ["TemplateName": .string(name), "TemplateContent": .object(content)]
    }

    func listTemplates(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        try exchange.require("ses:ListEmailTemplates", "*")
        let known = try kept { () throws(MailboxFailure) in try mailbox.documents(.template) }
        let page = try SESPage(exchange.call.query, sizeMax: Self.pageMax)
        var answer: JSONObject = [
            "TemplatesMetadata": .array(
                known.dropFirst(page.start).prefix(page.size).map { template in
                    [
                        "TemplateName": .string(template.name),
                        "CreatedTimestamp": SESTime.json(
                            Instant(milliseconds: template.body["createdAt"]?.int64Value ?? 0)),
                    ]
                })
        ]
        answer["NextToken"] = page.next(of: known.count)
        return answer
    }

    func deleteTemplate(_ name: String, _ exchange: SESOperationContext) throws(SESFailure)
        -> JSONObject
    {
        try exchange.require("ses:DeleteEmailTemplate", arn(template: name, exchange))
        let isGone = try kept { () throws(MailboxFailure) in
            try mailbox.delete(.template, name)
        }
        guard isGone else { throw .notFound("Template \(name) does not exist") }
        return JSONObject()
    }

    func renderTemplate(_ name: String, _ exchange: SESOperationContext) throws(SESFailure)
        -> JSONObject
    {
        try exchange.require("ses:TestRenderEmailTemplate", arn(template: name, exchange))
        let content = SESTemplateContent(try known(template: name))
        let data = try Self.templateData(
            try exchange.body.requiredText("TemplateData", bytesMax: 262_144))
        let (rendered, failure) = content.rendered(data)
        if let failure { throw .badRequest(failure.message) }
        var writer = MIMEWriter(boundaryKey: Hex.encode(random.bytes(12)))
        writer.header("Date", exchange.now.internetMessageDate)
        writer.header("Subject", text: rendered.subject ?? "")
        writer.body(text: rendered.text, html: rendered.html, files: [])
        return ["RenderedTemplate": .string(String(decoding: writer.bytes, as: UTF8.self))]
    }

    // MARK: For SendEmail

    /// Finds a template by name or ARN, or takes its inline content.
    func templateContent(_ template: SESObject) throws(SESFailure) -> SESTemplateContent {
        let name = try template.text("TemplateName")
        let arn = try template.text("TemplateArn")
        let inline = try template.object("TemplateContent")
        if let inline {
            guard name == nil, arn == nil else {
                throw .badRequest("Give one of TemplateName, TemplateArn and TemplateContent")
            }
            return try Self.content(inline)
        }
        let last = arn.flatMap { $0.split(separator: "/").last.map { String($0) } }
        guard let wanted = name ?? last else {
            throw .badRequest("Content.Template names no template")
        }
        return SESTemplateContent(try known(template: wanted))
    }

    static func templateData(_ text: String?) throws(SESFailure) -> JSONObject {
        guard let text, !text.isEmpty else { return JSONObject() }
        guard
            let json = try? JSON.parse(text, limits: JSONLimits(bytesMax: 262_144, depthMax: 32)),
            let data = json.objectValue
        else { throw .badRequest("TemplateData is not a valid JSON object") }
        return data
    }

    private static func content(_ content: SESObject) throws(SESFailure) -> SESTemplateContent {
        let parts = SESTemplateContent(
            subject: try content.text("Subject", bytesMax: contentBytesMax),
            text: try content.text("Text", bytesMax: contentBytesMax),
            html: try content.text("Html", bytesMax: contentBytesMax))
        guard parts.subject != nil else { throw .badRequest("The template has no Subject") }
        guard parts.text != nil || parts.html != nil else {
            throw .badRequest("The template has neither Text nor Html")
        }
        return parts
    }

    private func known(template name: String) throws(SESFailure) -> JSON {
        let found = try kept { () throws(MailboxFailure) in
            try mailbox.document(.template, name)
        }
        guard let found else { throw .notFound("Template \(name) does not exist") }
        return found
    }

    private func put(
        _ name: String, _ content: SESTemplateContent, createdAt: Instant
    ) throws(SESFailure) {
        var object: JSONObject = ["createdAt": .number(createdAt.milliseconds)]
        object["subject"] = content.subject.map { .string($0) }
        object["text"] = content.text.map { .string($0) }
        object["html"] = content.html.map { .string($0) }
        let document = JSON.object(object)
        try kept { () throws(MailboxFailure) in try mailbox.put(.template, name, document) }
    }

    private func arn(template name: String, _ exchange: SESOperationContext) -> String {
        "arn:aws:ses:\(exchange.region):\(account):template/\(name)"
    }
}

extension SESTemplateContent {
    /// Reads the stored form.
    init(_ json: JSON) {
        subject = json["subject"]?.stringValue
        text = json["text"]?.stringValue
        html = json["html"]?.stringValue
    }
}

enum SESTime {
    /// Times in the API's JSON are seconds since the epoch.
    static func json(_ instant: Instant) -> JSON { .number(instant.seconds) }
}
