internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

extension AdminConsole {
    /// - Parameter person: the signed-in user who lacks the role for the page.
    func problem(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, _ auth: AuthServices,
        person: String?
    ) -> Answer {
        let texts = AdminTexts(request.pageLanguage)
        let backPath = backPath(request)
        let back = request.keepingLocales(AdminLook.relative(backPath, from: request.path))
        var proof = HTML()
        if case .auth(.session(.stepUpRequired)) = error {
            let stepUp = AdminLook.relative(PageName.stepUp.path, from: request.path)
            let address = "\(stepUp)?next=\(PercentEncoding.encode(backPath))"
            proof = """
                <a href="\(request.keepingLocales(address))">\(texts(.problemProve))</a>
                """
        }
        let other = person.map { AdminLook.otherAccount($0, request, texts) } ?? HTML()
        let form = RefusedForm(error, response, request, texts)
        // The answer has no link back to the page if the person may not see it.
        let isBarred = person != nil && request.method.isSame(as: "GET")
        let links: HTML =
            isBarred
            ? HTML()
            : "<p class=\"links\">\(proof)<a href=\"\(back)\">\(texts(.problemBack))</a></p>"
        let isSent = request.method.isSame(as: "POST")
        let action = isSent ? RefusedForm.title(of: request.path) : nil
        let navigation = isBarred ? HTML() : navigation(request, auth, texts)
        return AdminLook.answer(
            response.status,
            title: texts(.problemTitle) + (action.map { ": " + texts($0) } ?? ""),
            app: auth.appName, in: texts.language, style: ConsoleStyle.css,
            """
            <header class="bar"><span>\(auth.appName)</span>\(navigation)</header>
            <main class="wide">
            <h1>\(texts(action ?? .problemHeading))</h1>
            <p class="says bad" role="alert">\(texts.problem(error, response))</p>
            \(other)\(form?.html ?? HTML())\(links)
            </main>
            """)
    }

    /// The user's page if the request was about a user, otherwise the list.
    private func backPath(_ request: Request) -> String {
        let parts = request.path.split(separator: "/")
        guard !request.method.isSame(as: "GET"), request.path.hasPrefix("\(Self.path)/users/"),
            parts.count > 1
        else { return home }
        return "/" + parts.dropLast().joined(separator: "/")
    }
}

extension AdminLook {
    /// Names the signed-in user, who lacks the role for the page, and offers a sign-in as another
    /// user.
    fileprivate static func otherAccount(
        _ person: String, _ request: Request, _ texts: AdminTexts
    ) -> HTML {
        let next = request.method.isSame(as: "GET") ? request.path : ContractPages.administration
        let signIn =
            relative(PageName.signIn.path, from: request.path)
            + "?notice=\(PageNotice.switching.rawValue)&next=\(PercentEncoding.encode(next))"
        return """
            <p>\(texts(.problemSignedIn, "account", person))</p>
            <a class="go" href="\(request.keepingLocales(signIn))">\(texts(.problemSwitch))</a>

            """
    }

    /// The administration pages are not shown over an unencrypted connection.
    static func overPlainHTTP(
        _ response: ErrorResponse, _ request: Request, _ auth: AuthServices,
        heading: String? = nil
    ) -> Answer? {
        guard let plain = PlainConnection(request, issuer: auth.issuer) else { return nil }
        let texts = AdminTexts(request.pageLanguage)
        let note = plain.note(
            for: LocalPath(of: request).text, issuer: auth.issuer, in: texts.language)
        return answer(
            response.status, title: texts(.problemPlain), app: auth.appName, in: texts.language,
            "<h1>\(heading ?? texts.signIn(.signInHeading))</h1>\n\(note)")
    }

    /// A relative address, because a stage or a base path may precede the path.
    static func relative(_ path: String, from current: String) -> String {
        let depth = current.utf8.count { $0 == UInt8(ascii: "/") } - 1
        return String(repeating: "../", count: max(0, depth)) + path.dropFirst()
    }
}
