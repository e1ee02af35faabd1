internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

/// The messages of the deployment in each language, with examples for their values.
extension AdminConsole {
    static let mailsPath = path + "/mails"

    var mails: [Endpoint] {
        [
            page(.adminMailsPage, .get(Self.mailsPath), needs: [.mail, .links]) {
                try $0.mailsPage()
            },
            page(.adminMailPage, .get("\(Self.mailsPath)/{kind}"), needs: [.mail, .links]) {
                try $0.mailPage()
            },
            page(
                .adminMailContent, .get("\(Self.mailsPath)/{kind}/html"), needs: [.mail, .links]
            ) { try $0.mailContent() },
        ]
    }
}

extension AdminPage {
    func mailsPage() throws -> Answer {
        guard let previews = try auth.mail.previews else {
            return answer(
                title: texts(.mailsTitle),
                """
                <h1>\(texts(.mailsTitle))</h1>
                <p>\(texts.html(
                    .mailsHook, "name", "<code>send</code>", "setting", "<code>HOOKS</code>"))</p>
                """)
        }
        let language = language(of: previews)
        let rows = try auth.mailKinds.map { kind in
            let subject = try auth.preview(kind, in: language, previews)?.subject
            return HTML(
                """
                <li><span><a href="\(address(kind, language))">\(subject ?? texts(kind.title))</a>\
                <small>\(texts(kind.occasion))</small></span></li>

                """)
        }
        return answer(
            title: texts(.mailsTitle),
            """
            <h1>\(texts(.mailsTitle))</h1>
            <p class="soft">\(texts(.mailsAbout, "sender", previews.sender))</p>
            \(languages(previews, language) { address(nil, $0) })
            <ul class="rows">
            \(HTML(joining: rows))</ul>
            \(curl("GET", "\(AdminConsole.mailsPath)?language=\(PercentEncoding.encode(language))"))
            """)
    }

    func mailPage() throws -> Answer {
        let (kind, preview, previews) = try preview()
        let path = "\(AdminConsole.mailsPath)/\(kind.rawValue)/html"
        let query = "?language=\(PercentEncoding.encode(preview.language))"
        let source = address(path, [("language", preview.language)])
        let template = texts(preview.isCustom ? .mailsCustom : .mailsBuiltIn)
        return answer(
            title: preview.subject, hasFrame: true,
            """
            <h1>\(preview.subject)</h1>
            \(languages(previews, preview.language) { address(kind, $0) })
            <dl>
            <dt>\(texts(.mailsWhen))</dt><dd>\(texts(kind.occasion))</dd>
            <dt>\(texts(.mailsFrom))</dt><dd>\(previews.sender)</dd>
            <dt>\(texts(.mailsTemplate))</dt><dd><code>\(kind.rawValue).\(preview.language)\
            </code>, \(template)</dd>
            </dl>
            <h2>\(texts(.mailsHtml))</h2>
            <iframe sandbox title="\(texts(.mailsFrame))" src="\(source)"></iframe>
            <p class="soft">\(texts(.mailsExamples))</p>
            <h2>\(texts(.mailsText))</h2>
            <pre>\(preview.text)</pre>
            \(curl("GET", path + query))
            """)
    }

    /// The message is a separate document, because the security policy of the page would refuse the
    /// message's styles. It has no scripts, no origin and no network access, even if it is opened
    /// outside the frame.
    func mailContent() throws -> Answer {
        let (_, preview, _) = try preview()
        return Answer(
            200, .text(preview.html, type: "text/html; charset=utf-8"),
            headers: [
                (
                    "content-security-policy",
                    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                        + "form-action 'none'; frame-ancestors 'self'; base-uri 'none'"
                ),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-resource-policy", "same-origin"),
                ("x-frame-options", "SAMEORIGIN"),
            ])
    }

    // MARK: Parts

    private func preview() throws -> (Mail.Kind, MailPreview, MailPreviews) {
        guard let kind = Mail.Kind(rawValue: call.parameter("kind")),
            auth.mailKinds.contains(kind), let previews = try auth.mail.previews,
            let preview = try auth.preview(kind, in: language(of: previews), previews)
        else { throw RequestError.notFound }
        return (kind, preview, previews)
    }

    /// The requested language, or else the language of the page, if there are templates in that
    /// language; otherwise the default language.
    private func language(of previews: MailPreviews) -> String {
        let asked = call.query("language") ?? texts.language.rawValue
        return previews.languages.first { $0.isSame(as: asked) } ?? previews.standardLanguage
    }

    private func languages(
        _ previews: MailPreviews, _ current: String, _ address: (String) -> String
    ) -> HTML {
        let links = previews.languages.map { language in
            language.isSame(as: current)
                ? HTML("<b aria-current=\"true\">\(language)</b>")
                : HTML("<a href=\"\(address(language))\" hreflang=\"\(language)\">\(language)</a>")
        }
        return "<p class=\"links\">\(HTML(joining: links))</p>"
    }

    private func address(_ kind: Mail.Kind?, _ language: String) -> String {
        let name = kind.map { "/\($0.rawValue)" } ?? ""
        return address(AdminConsole.mailsPath + name, [("language", language)])
    }
}

extension Mail.Kind {
    /// The text that says when the message is sent.
    var occasion: AdminText {
        switch self {
        case .verifyEmail: .mailVerifyEmail
        case .alreadyRegistered: .mailAlreadyRegistered
        case .signInMethods: .mailSignInMethods
        case .invitation: .mailInvitation
        case .resetPassword: .mailResetPassword
        case .passwordChanged: .mailPasswordChanged
        case .magicLink: .mailMagicLink
        case .newDevice: .mailNewDevice
        case .newApplication: .mailNewApplication
        case .methodAdded: .mailMethodAdded
        case .methodRemoved: .mailMethodRemoved
        case .secondFactorChanged: .mailSecondFactorChanged
        case .secondFactorRemoval: .mailSecondFactorRemoval
        case .wrongCodes: .mailWrongCodes
        case .addressChanged: .mailAddressChanged
        case .emailChanged: .mailEmailChanged
        case .accountDeleted: .mailAccountDeleted
        }
    }

    /// The name of the message in the administration.
    var title: AdminText {
        switch self {
        case .verifyEmail: .kindVerifyEmail
        case .alreadyRegistered: .kindAlreadyRegistered
        case .signInMethods: .kindSignInMethods
        case .invitation: .kindInvitation
        case .resetPassword: .kindResetPassword
        case .passwordChanged: .kindPasswordChanged
        case .magicLink: .kindMagicLink
        case .newDevice: .kindNewDevice
        case .newApplication: .kindNewApplication
        case .methodAdded: .kindMethodAdded
        case .methodRemoved: .kindMethodRemoved
        case .secondFactorChanged: .kindSecondFactorChanged
        case .secondFactorRemoval: .kindSecondFactorRemoval
        case .wrongCodes: .kindWrongCodes
        case .addressChanged: .kindAddressChanged
        case .emailChanged: .kindEmailChanged
        case .accountDeleted: .kindAccountDeleted
        }
    }
}
