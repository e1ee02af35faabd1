internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

extension AdminLook {
    static func problem(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, home: String,
        users: String, person: String? = nil, app: String
    ) -> Answer {
        let texts = AdminTexts(request.pageLanguage)
        let backPath = backPath(request, home: home, users: users)
        let back = request.keepingLocales(relative(backPath, from: request.path))
        var proof = HTML()
        if case .auth(.session(.stepUpRequired)) = error {
            let stepUp = relative(PageName.stepUp.path, from: request.path)
            let address = "\(stepUp)?next=\(PercentEncoding.encode(backPath))"
            proof = """
                <a href="\(request.keepingLocales(address))">\(texts(.problemProve))</a>
                """
        }
        let other = person.map { otherAccount($0, request, texts) } ?? HTML()
        let form = RefusedForm(error, response, request, texts)
        // The answer has no link back to the page if the person may not see it.
        let isBarred = person != nil && request.method.isSame(as: "GET")
        let links: HTML =
            isBarred
            ? HTML()
            : "<p class=\"links\">\(proof)<a href=\"\(back)\">\(texts(.problemBack))</a></p>"
        return answer(
            response.status, title: texts(.problemTitle), app: app, in: texts.language,
            """
            <h1>\(texts(.problemHeading))</h1>
            <p class="says bad" role="alert">\(texts.problem(error, response))</p>
            \(other)\(form?.html ?? HTML())\(links)
            """)
    }

    /// Names the signed-in user, who lacks the role for the page, and offers a sign-in as another
    /// user.
    private static func otherAccount(
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
        _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer? {
        guard let plain = PlainConnection(request, issuer: auth.issuer) else { return nil }
        let texts = AdminTexts(request.pageLanguage)
        let note = plain.note(
            for: LocalPath(of: request).text, issuer: auth.issuer, in: texts.language)
        return answer(
            response.status, title: texts(.problemPlain), app: auth.appName, in: texts.language,
            "<h1>\(texts.signIn(.signInHeading))</h1>\n\(note)")
    }

    /// The user's page if the request was about a user, otherwise the list.
    private static func backPath(_ request: Request, home: String, users: String) -> String {
        let parts = request.path.split(separator: "/")
        guard !request.method.isSame(as: "GET"), request.path.hasPrefix("\(users)/users/"),
            parts.count > 1
        else { return home }
        return "/" + parts.dropLast().joined(separator: "/")
    }

    /// A relative address, because a stage or a base path may precede the path.
    static func relative(_ path: String, from current: String) -> String {
        let depth = current.utf8.count { $0 == UInt8(ascii: "/") } - 1
        return String(repeating: "../", count: max(0, depth)) + path.dropFirst()
    }
}
