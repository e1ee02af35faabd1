internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import QRCode

// The pages for the name, password, address and second factor, and for the deletion of the account.
extension PageEndpoints {
    static let settings: [AccountPage] = [
        AccountPage(
            name: .name, operation: .pageAccount,
            show: { page, session, problem in
                let field = PageField(
                    name: "name", label: .fieldName, kind: .text,
                    value: problem == nil ? session.user.displayName ?? "" : page.typed("name"),
                    isOptional: true, isFirst: true)
                return page.showSetting(
                    .nameTitle, problem, about: .nameAbout,
                    [PageForm(page: .name, button: .nameSubmit, fields: [field])])
            },
            submit: { page, session in
                guard let name = try page.fields.text("name") else {
                    throw RequestError.missingField("name")
                }
                try page.auth.changeName(to: name, session.caller)
                return page.redirect(to: .account, .nameSaved)
            }),
        AccountPage(
            name: .password, operation: .pageAccount,
            show: { page, session, problem in
                let methods = try page.auth.listMethods(session.caller)
                if !methods.hasPassword {
                    try page.auth.requireRecentSignIn(session.principal)
                }
                return page.passwordPage(
                    session.user, hasPassword: methods.hasPassword, problem)
            },
            submit: { page, session in
                let password = try page.fields.required("newPassword")
                if page.fields.has("currentPassword") {
                    let tokens = try page.auth.changePassword(
                        current: try page.fields.required("currentPassword"), new: password,
                        session.caller)
                    return page.replaced(by: tokens, .passwordSaved)
                }
                let email = page.fields.has("email") ? try page.fields.email() : nil
                switch try page.auth.addPassword(password, email: email, session.caller) {
                case .added: return page.redirect(to: .account, .passwordAdded)
                case .linkSent(let email, let secret):
                    return page.mailed(
                        RequestedMail(secret: secret, address: email.text), to: .addPassword)
                }
            }),
        AccountPage(
            name: .email, operation: .pageAccount, isSensitive: true,
            show: { page, session, problem in
                let field = PageField(
                    name: "email", label: .fieldNewEmail, kind: .email,
                    value: page.typed("email"), isFirst: true)
                return page.showSetting(
                    .emailTitle, problem, about: .emailAbout,
                    [PageForm(page: .email, button: .resetSubmit, fields: [field])])
            },
            submit: { page, session in
                let email = try page.fields.email()
                let secret = try page.auth.requestNewAddress(email, session.caller)
                return page.mailed(
                    RequestedMail(secret: secret, address: email.text), to: .confirmEmail)
            }),
        AccountPage(
            name: .confirmAddress, operation: .pageAccount,
            show: { page, session, problem in
                let email = session.user.isEmailVerified ? nil : session.user.email
                guard email != nil || problem != nil else { return page.redirect(to: .account) }
                let about = email.map { page.texts(.confirmEmailAbout, [("email", $0)]) }
                return page.show(
                    .confirmEmailTitle, problem, about: [about].compactMap(\.self),
                    [PageForm(page: .confirmAddress, button: .resetSubmit)],
                    links: [(.account, .accountBack)])
            },
            submit: { page, session in
                let (email, secret) = try page.auth.requestAddressVerification(session.caller)
                return page.mailed(
                    RequestedMail(secret: secret, address: email.text), to: .confirmEmail)
            }),
        AccountPage(
            name: .authenticator, operation: .pageAccount, isSensitive: true,
            show: { page, session, problem in
                let uri = page.typed("uri")
                return session.user.hasSecondFactor
                    ? page.secondFactorSettings(problem)
                    : page.enrolmentPage(uri.isEmpty ? nil : uri, problem)
            },
            submit: { page, session in try page.changeAuthenticator(session) }),
        AccountPage(
            name: .delete, operation: .pageAccount, isSensitive: true,
            show: { page, session, problem in
                let field = PageField(
                    name: "confirm", label: .fieldConfirmDeletion, kind: .check, value: "yes")
                return page.showSetting(
                    .deleteTitle, problem, about: .deleteAbout,
                    [
                        PageForm(
                            page: .delete, button: .deleteSubmit, fields: [field], isDanger: true)
                    ])
            },
            submit: { page, session in
                _ = try page.fields.required("confirm")
                try page.auth.deleteAccount(session.principal, session.caller)
                return page.redirect(to: .signIn, .deleted, setting: page.freshCookies(nil))
            }),
    ]
}

extension PageRequest {
    fileprivate func showSetting(
        _ title: PageText, _ problem: PageProblem?, about: PageText, _ forms: [PageForm],
        before: HTML = "", after: HTML = ""
    ) -> Answer {
        show(
            title, problem, about: [texts(about)], before: before, forms, after: after,
            links: [(.account, .accountBack)])
    }

    fileprivate func passwordPage(
        _ user: User, hasPassword: Bool, _ problem: PageProblem?
    ) -> Answer {
        var fields: [PageField] = []
        if hasPassword {
            fields.append(
                PageField(
                    name: "currentPassword", label: .fieldCurrentPassword, kind: .password,
                    isFirst: true))
        } else if user.provenLogin == nil {
            fields.append(
                PageField(
                    name: "email", label: .fieldEmail, kind: .email,
                    value: typed("email").isEmpty ? user.email ?? "" : typed("email"),
                    isFirst: true))
        }
        fields.append(newPasswordField(.fieldNewPassword, isFirst: fields.isEmpty))
        let form = PageForm(page: .password, button: .resetPasswordSubmit, fields: fields)
        return show(
            hasPassword ? .passwordTitle : .addPasswordTitle, problem,
            about: hasPassword ? [texts(.passwordAbout)] : [], [form],
            links: [(.account, .accountBack)])
    }

    // MARK: The second factor

    fileprivate func changeAuthenticator(_ session: PageSession) throws -> Answer {
        switch try fields.text("action") {
        case "codes":
            let codes = try auth.replaceRecoveryCodes(
                code: try fields.required("code"), session.caller)
            return recoveryCodesPage(codes)
        case "off":
            let tokens = try auth.removeAuthenticator(try secondFactorAnswer(), session.caller)
            return replaced(by: tokens, .secondFactorOff)
        case "begin": return enrolmentPage(try auth.enrolAuthenticator(session.caller).uri, nil)
        default:
            let output = try auth.confirmAuthenticator(
                code: try fields.required("code"), session.caller)
            var answer = recoveryCodesPage(output.recoveryCodes)
            answer.cookies = freshCookies(BrowserSession(output.tokens))
            return answer
        }
    }

    fileprivate func secondFactorSettings(_ problem: PageProblem?) -> Answer {
        var form = codeForm(.authenticator, .authenticatorCodes)
        form.action = "codes"
        form.more = """
            <button class="danger" name="action" value="off">\(texts(.authenticatorOff))</button>

            """
        return showSetting(
            .authenticatorTitle, problem, about: .authenticatorIsOn, [form],
            after: recoveryForm(
                .authenticator, .authenticatorOff, action: "off", isDanger: true, problem))
    }

    /// - Parameter uri: the URI of an authenticator app that is being added. The form repeats it,
    ///   so that after a wrong code the QR code is still valid.
    fileprivate func enrolmentPage(_ uri: String?, _ problem: PageProblem?) -> Answer {
        guard let uri, let code = QRCode(Array(uri.utf8)) else {
            return showSetting(
                .authenticatorTitle, problem, about: .authenticatorAbout,
                [PageForm(page: .authenticator, button: .authenticatorBegin, action: "begin")])
        }
        let parameters = uri.split(whereSeparator: { $0 == "?" || $0 == "&" })
        let key = parameters.first { $0.hasPrefix("secret=") }?.dropFirst(7) ?? ""
        var picture: HTML =
            "<div class=\"qr\" role=\"img\" aria-label=\"\(texts(.authenticatorPicture))\">"
        picture.append(HTML(trusted: code.svg))
        // On the device with the app, the link opens the app.
        let link: HTML =
            uri.hasPrefix("otpauth://")
            ? "<a href=\"\(uri)\"><code>\(Self.grouped(key))</code></a>" : ""
        picture.append("</div><p>\(texts(.fieldKey)): \(link)</p>\n")
        var form = codeForm(.authenticator, .authenticatorConfirm)
        form.hidden = [("uri", uri)]
        return showSetting(
            .authenticatorTitle, problem, about: .authenticatorScan, [form], before: picture)
    }

    /// Groups the key for people who type it. Apps ignore the spaces.
    private static func grouped(_ key: Substring) -> String {
        var text = ""
        for (index, letter) in key.enumerated() {
            if index > 0, index % 4 == 0 { text.append(" ") }
            text.append(letter)
        }
        return text
    }

    private func recoveryCodesPage(_ codes: [RecoveryCode]) -> Answer {
        // The header of the page contains a form. If the answer sets a new form cookie, that form
        // needs the new token.
        person = nil
        usesScript = true
        let words = codes.map { $0.reveal() }
        let rows = words.map { HTML("<li><code>\($0)</code></li>\n") }
        let file = ["\(auth.appName): \(texts(.recoveryTitle))", ""] + words + [""]
        let data = PercentEncoding.encode(file.joined(separator: "\n"))
        return show(
            .recoveryTitle, nil, about: [texts(.recoveryAbout)],
            after: """
                <ul class="codes">
                \(HTML(joining: rows))</ul>
                <p class="links"><a href="data:text/plain;charset=utf-8,\(data)" \
                download="recovery-codes.txt">\(texts(.recoveryDownload))</a>\
                <button type="button" hidden data-copy=".codes" \
                data-copied="\(texts(.recoveryCopied))">\(texts(.recoveryCopy))</button></p>
                <form action="\(address(.account))">
                \(localesField)<div class="check"><input id="saved" type="checkbox" \
                autocomplete="off" required><label for="saved">\(texts(.recoverySaved))</label>\
                </div>
                <button class="main">\(texts(.recoveryDone))</button>
                </form>
                """, links: [])
    }
}
