internal import AuthDomain
internal import AuthMail
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import HTTPClient

/// `MAIL_URL`, `MAIL_*`: the mail system, the sender and the templates.
struct MailSettings: ServicePart {
    enum Transport: Equatable, Sendable {
        case ses
        case smtp(SMTPServer)
        case folder(MailFolder)
        /// Mails are sent by the hook `send`. No other setting of the mail system is needed.
        case hook
    }

    let transport: Transport
    /// The password of the user in `transport`.
    let password: SecretBytes?
    let sender: MailMessage.Sender
    let look: MailLook
    let templates: MailTemplates
    let delivery: MailServices.Delivery

    private static let nameBytesMax = 100
    private static let passwordBytesMax = 1000

    /// `MAIL`, the former name of `MAIL_URL`, if its value has the form of `MAIL_URL`. Login shells
    /// set `MAIL` to the path of a mailbox.
    static func acceptFormerName(_ reader: inout SettingsReader) {
        guard reader.environment["MAIL_URL"] == nil, let value = reader.environment["MAIL"],
            value.isSame(as: "ses") || value.dropping("folder:") != nil
                || value.utf8.contains(text: "://")
        else { return }
        reader.names["MAIL_URL"] = "MAIL"
    }

    /// nil if no endpoint sends mail, or if an error was reported to `reader`.
    static func read(
        _ reader: inout SettingsReader, for needs: ServiceNeeds, _ hooks: HookSettings?
    ) -> MailSettings? {
        let isTakenOver = hooks?.hooks.contains { $0.kind == .send } ?? false
        let sendsMail =
            needs.contains(.mail)
            || (needs.contains(.notices) && (isTakenOver || reader.text("MAIL_URL") != nil))
        return sendsMail ? read(&reader, isTakenOver: isTakenOver) : nil
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        guard let sealing = context.mailSealing else { return }
        let environment = context.assembly.environment
        let hook = transport == .hook ? services.hooks?.sender(context.assembly.clock) : nil
        let sender =
            hook
            ?? MailSender(
                self, ses: transport == .ses ? context.aws.ses : nil,
                trust: CertificateTrust(variable: { environment[$0] }),
                clock: context.assembly.clock, report: context.reports.requests,
                written: context.reports.writtenMail)
        let report = context.reports.mail
        var writesFiles = false
        if case .folder = transport { writesFiles = true }
        services.mail = MailServices(
            sealing: sealing, sender: sender, delivery: delivery,
            previews: transport == .hook ? nil : previews,
            report: { [writesFiles] outcome in
                // `writtenMail` has already reported a message that was written to the folder.
                if writesFiles, case .sent = outcome { return }
                report(outcome)
            })
    }

    private var previews: MailPreviews {
        let name = sender.name.map { "\($0) " } ?? ""
        return MailPreviews(
            languages: templates.languages.sorted(),
            standardLanguage: MailTemplates.standardLanguage,
            sender: "\(name)<\(sender.address.text)>"
        ) { [templates, look] mail in
            guard let rendered = try? templates.render(mail, as: look) else { return nil }
            return MailPreview(
                language: rendered.language, subject: rendered.subject, text: rendered.text,
                html: rendered.html,
                isCustom: templates.hasOwnFile(for: mail.kind, in: rendered.language))
        }
    }

    private static func read(
        _ reader: inout SettingsReader, isTakenOver: Bool
    ) -> MailSettings? {
        let transport = isTakenOver ? .hook : transport(&reader)
        let password = password(&reader, transport)
        let from = from(&reader, transport)
        let fromName = name("MAIL_FROM_NAME", &reader)
        let appName = name("APP_NAME", &reader)
        let delivery = reader.choice("MAIL_DELIVERY", MailServices.Delivery.self)
        let templates = templates(&reader)
        guard let transport, let from else { return nil }
        return MailSettings(
            transport: transport, password: password,
            sender: MailMessage.Sender(from, name: fromName ?? appName),
            look: MailLook(
                app: appName ?? fromName ?? standardName(&reader, from),
                color: reader.text("UI_COLOR").flatMap(BrandColor.init(parsing:)),
                logo: reader.text("UI_LOGO")),
            templates: templates, delivery: delivery ?? .afterReply)
    }

    private static func transport(_ reader: inout SettingsReader) -> Transport? {
        let forms =
            "ses, smtp://[USER@]HOST[:PORT], smtps://[USER@]HOST[:PORT] or folder:PATH"
        guard let raw = reader.text("MAIL_URL") else {
            reader.refuse("MAIL_URL is required to send mail: \(forms)")
            return nil
        }
        if raw.isSame(as: "ses") { return .ses }
        if let server = SMTPServer(url: raw) { return .smtp(server) }
        if let path = raw.dropping("folder:"), !path.isEmpty {
            if let problem = MailFolder.problem(path) { reader.refuse("MAIL_URL: \(problem)") }
            return .folder(MailFolder(path: path))
        }
        reader.refuse("MAIL_URL must be \(forms), without a password")
        return nil
    }

    private static func password(
        _ reader: inout SettingsReader, _ transport: Transport?
    ) -> SecretBytes? {
        let isGiven = reader.text("MAIL_PASSWORD") != nil
        let password = reader.secret("MAIL_PASSWORD")
        var hasUser = false
        if case .smtp(let server) = transport { hasUser = server.user != nil }
        if hasUser, !isGiven {
            reader.refuse("MAIL_PASSWORD is required, because MAIL_URL names a user")
        }
        if isGiven, !hasUser, transport != nil, transport != .hook {
            reader.refuse("MAIL_PASSWORD needs a user: MAIL_URL must be smtp://USER@HOST")
        }
        if let password {
            let bytes = password.reveal()
            if !(1...passwordBytesMax).contains(bytes.count) || bytes.contains(where: { $0 < 0x20 })
            {
                reader.refuse("MAIL_PASSWORD must be one line of text")
            }
        }
        return password
    }

    /// The sender of messages that are not delivered (RFC 2606 section 2).
    private static let senderInFolder = EmailAddress(parsing: "no-reply@latchkey.invalid")

    private static func from(
        _ reader: inout SettingsReader, _ transport: Transport?
    ) -> EmailAddress? {
        guard let text = reader.text("MAIL_FROM") else {
            switch transport {
            case .folder, .hook: return senderInFolder
            case .ses, .smtp, nil: break
            }
            reader.refuse("MAIL_FROM is required to send mail")
            return nil
        }
        let address = EmailAddress(parsing: text)
        if address == nil { reader.refuse("MAIL_FROM must be an e-mail address and nothing else") }
        return address
    }

    /// Without `MAIL_FROM`, the sender has the same name as the pages: the host of the issuer.
    private static func standardName(_ reader: inout SettingsReader, _ from: EmailAddress) -> String
    {
        guard reader.text("MAIL_FROM") == nil else { return from.domain }
        let issuer = reader.text("ISSUER") ?? IssuerSettings.local
        return issuer.split(separator: "/").dropFirst().first.map(String.init) ?? issuer
    }

    private static func name(_ name: String, _ reader: inout SettingsReader) -> String? {
        guard let text = reader.text(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= nameBytesMax, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            reader.refuse("\(name) must be one line of at most \(nameBytesMax) bytes")
            return nil
        }
        return text
    }

    private static func templates(_ reader: inout SettingsReader) -> MailTemplates {
        guard let path = reader.text("MAIL_TEMPLATES") else { return .builtIn }
        guard let files = TemplateFolder.files(path) else {
            reader.refuse("MAIL_TEMPLATES: the folder cannot be read")
            return .builtIn
        }
        var problems: [String] = []
        let templates = MailTemplates(overriding: files, problems: &problems)
        for problem in problems { reader.refuse("MAIL_TEMPLATES: \(problem)") }
        return templates
    }
}
