internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

// A device without a keyboard shows a code, and a signed-in person types it here (RFC 8628 section
// 3.3). Opening the page changes nothing, even with the code in its address.
extension PageEndpoints {
    static let deviceCode: [PageRoute] = [
        .page(.device) { page in
            try page.requireOAuth()
            return try page.deviceCode { _ in page.deviceCodePage(nil) }
        },
        .form(
            .pageDevice, .device,
            again: { page, problem in
                let shown = try? page.signedIn { _ in page.deviceCodePage(problem) }
                return shown ?? page.problem(problem)
            }
        ) { page in
            try page.requireOAuth()
            return try page.deviceCode { session in
                if let decision = try page.fields.choice("decision", ConsentDecision.self) {
                    return try page.decideDevice(decision, session)
                }
                return try page.foundDevice(session)
            }
        },
    ]
}

extension PageRequest {
    private static let userCodeName = "user_code"

    /// The code from the form, or from the address in a QR code that a device shows.
    private var userCode: String {
        let text = typed(Self.userCodeName)
        return text.isEmpty ? query(Self.userCodeName) ?? "" : text
    }

    /// Only signed-in people may enter codes, so that wrong codes are counted by account.
    fileprivate func deviceCode(_ body: (PageSession) throws -> Answer) throws -> Answer {
        let next = PageDestination(userCode: UserCode(parsing: userCode))
        let kept = cookies.holding(next.text, .next, for: next.lifetime)
        let found = try session(for: .showPage)
        guard let session = found, !session.user.isGuest else {
            guard found == nil else { return redirect(to: .signIn, .switching, setting: [kept]) }
            let ended = browserSession == nil ? [] : [cookies.removing(.session)]
            return redirect(to: .signIn, setting: [kept] + ended)
        }
        do {
            person = session.user
            var answer = try body(session)
            answer.cookies += session.cookies
            return answer
        } catch {
            throw PageFailure(error, cookies: session.cookies)
        }
    }

    fileprivate func foundDevice(_ session: PageSession) throws -> Answer {
        let code = try fields.required(Self.userCodeName)
        switch try auth.decideDevice.find(code, session.principal, session.caller) {
        case .shown(let shown): return shownDevice(shown, session.user)
        case .stepUp:
            let next = PageDestination(userCode: UserCode(parsing: code))
            return redirect(
                to: .stepUp, setting: [cookies.holding(next.text, .next, for: next.lifetime)])
        }
    }

    fileprivate func decideDevice(
        _ decision: ConsentDecision, _ session: PageSession
    ) throws -> Answer {
        // The person may have signed in with another account since the page was shown.
        guard try fields.text("account")?.isSame(as: session.user.id.text) ?? false else {
            return redirect(to: .device)
        }
        let code = try fields.required("request")
        let next = cookie(.next) == nil ? [] : [cookies.removing(.next)]
        switch decision {
        case .allow:
            try auth.decideDevice.allow(code, session.principal, session.caller)
            return redirect(to: .device, .deviceAllowed, setting: next)
        case .deny:
            try auth.decideDevice.refuse(code, session.principal)
            return redirect(to: .device, .deviceRefused, setting: next)
        }
    }

    // MARK: The pages

    fileprivate func deviceCodePage(_ problem: PageProblem?) -> Answer {
        let notice = query("notice").flatMap(PageNotice.init(rawValue:))
        if problem == nil, notice == .deviceAllowed || notice == .deviceRefused {
            return show(
                .deviceTitle, nil,
                links: [(.applications, .applicationsTitle), (.account, .accountBack)])
        }
        let code = userCode
        let form = PageForm(
            page: .device, button: .deviceContinue,
            fields: [
                PageField(
                    name: Self.userCodeName, label: .fieldDeviceCode, kind: .deviceCode,
                    value: UserCode(parsing: code)?.text ?? "", isFirst: true)
            ])
        return show(
            .deviceTitle, problem, about: [texts(.deviceAbout), texts(.deviceWarning)], [form],
            links: [(.account, .accountBack)])
    }

    /// The page that says who asks, for which access, to which account, and from where. The person
    /// compares the code with the one on the device.
    private func shownDevice(_ shown: ShownDevice, _ user: User) -> Answer {
        // The page itself says who is signed in.
        person = nil
        let (request, client) = (shown.request, shown.client)
        let account = user.email ?? name(of: user)
        let origin: HTML = "\(request.address ?? "")"
        let asked = [("time", time(request.askedAt)), ("address", origin)]
        var body: HTML = """
            <h1>\(texts(.consentTitle, [("name", client.name)]))</h1>
            <p>\(texts(.deviceCompare))</p>
            <p><strong class="code">\(shown.code.text)</strong></p>
            <p class="says bad">\(texts(.deviceWarning))</p>
            <p>\(texts(.consentAbout, [("account", account)])) \(switchAccount)</p>
            \(abilities(request.scope, request.resources))
            <p class="soft">\(texts.html(
                request.address == nil ? .deviceAsked : .deviceAskedFrom, asked))</p>
            \(identity(of: client))

            """
        body.append(
            decisionForm(to: .device, [("request", shown.code.letters), ("account", user.id.text)]))
        return answer(title: .consentShort, body)
    }
}
